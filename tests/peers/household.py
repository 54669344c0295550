"""The numbers of docs/math/household.md, by mpmath alone: closed form against the chain of neighbours."""

from mpmath import exp, mp, mpf, ncdf

mp.dps = 40


def delta(eps, mu):
    return ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2)


def root(function, low, high):
    low, high = mpf(low), mpf(high)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


def exact(mu, k, at):
    return root(lambda eps: delta(eps, k * mu) - at, 0, 1000)


def chained(mu, k, at):
    one = root(lambda eps: delta(eps, mu) * sum(exp(i * eps) for i in range(k)) - at, 0, 1000)
    return k * one


if __name__ == "__main__":
    for mu, k in [("0.2", 2), ("0.2", 4), ("0.2", 10), ("1", 2), ("1", 4)]:
        low, high = exact(mpf(mu), k, mpf("1e-5")), chained(mpf(mu), k, mpf("1e-5"))
        assert low <= high
        print(f"| {mu} | {k} | {mp.nstr(low, 12)} | {mp.nstr(high, 12)} |")
