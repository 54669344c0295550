// Everything that a ledger holds follows from its links, but for what single people were charged:
// of that the links hold digests. So the links are gone through once more, and what they lead to is
// compared with what is there.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ration/base/error.h"
#include "ration/ledger/session.h"

namespace ration {
namespace {

using namespace ledger;

class Broken : public Error {
 public:
  using Error::Error;
};

class Verification {
 public:
  explicit Verification(Session& session) : session_(session), storage_(session.storage()) {}

  void run() {
    const auto last = session_.last_link();
    if (!last) broken(0, "it is missing");
    check_links(last->number);
    links_ = last->number + 1;
    check_lists();
    if (state_of(session_.summary) != head_.state) {
      broken(last->number, "the digests of people's accounts are not those that it holds");
    }
    check_reserves();
    for (std::uint64_t block = 0; block < session_.blocks(); block += kWindow) {
      check_blocks(block, std::min<std::uint64_t>(kWindow, session_.blocks() - block));
    }
    if (!(accounts_ == session_.summary.accounts)) {
      fail("accounts are not those of its last link: some are older or newer");
    }
    if (seen_ != people_) fail("the number of people is not the one that the links add up to");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Broken("ledger " + storage_.name() + " is broken: " + what);
  }
  [[noreturn]] void broken(std::uint64_t link, const std::string& what) const {
    fail(fmt::format("link {}: {}", link, what));
  }
  [[noreturn]] void broken_block(std::uint64_t block, const std::string& what) const {
    fail(fmt::format("block {} of people: {}", block, what));
  }

  void check_links(std::uint64_t last) {
    std::uint64_t next = 0;
    std::vector<Record> window;
    const auto check = [&] {
      std::vector<Bytes> hashes;
      for (const Record& record : window) {
        // A record that is too short has no hash, and is found below.
        const Bytes bytes = record.bytes;
        hashes.push_back(bytes.last(std::min(bytes.size(), sizeof(Checksum))));
      }
      const auto found = storage_.find(Names::heads, hashes);
      for (std::size_t i = 0; i < window.size(); ++i) check_link(window[i], found[i]);
      window.clear();
    };
    each_record(storage_, Shelf::links, 0, last, [&](const Record& record) {
      if (record.number != next) {
        check();
        broken(next, "it is missing");
      }
      ++next;
      window.push_back(record);
      if (window.size() == kWindow) check();
    });
    check();
  }

  void check_link(const Record& record, std::optional<std::uint64_t> of_hash) {
    const std::uint64_t number = record.number;
    Link link;
    try {
      link = link_in(number, record.bytes);
      if (number == 0) key_ = create_in(link.body).nonce;
    } catch (const Error&) {
      broken(number, "it cannot be read");
    }
    if (link.hash != hash_of(link, key_)) broken(number, "its hash is not that of what it holds");
    if (link.previous != head_.hash) broken(number, "it does not follow the link before it");
    if (of_hash != number) {
      broken(number, "its hash is not in the list of heads");
    }
    try {
      replay(link);
    } catch (const Broken&) {
      throw;
    } catch (const Error&) {
      broken(number, "what it asks for cannot have been granted");
    }
    head_ = link;
  }

  void replay(const Link& link) {
    if ((link.number == 0) != (link.kind == kind::create)) {
      broken(link.number, "a ledger is created once, at first");
    }
    if (link.kind == kind::create) return;
    if (link.kind == kind::people) {
      const PeopleBody body = people_in(link.body);
      if (body.first != people_) broken(link.number, "its people do not follow those before");
      people_ += body.count;
      budgets_.insert(budgets_.end(), body.budgets.begin(), body.budgets.end());
    } else if (link.kind == kind::quota) {
      set_quota(teams_, quota_in(link.body));
    } else if (link.kind == kind::grant || link.kind == kind::admit) {
      replay_request(link);
    } else {
      replay_closing(link);
    }
  }

  void replay_request(const Link& link) {
    const RequestBody body = request_in(link.body);
    GrantRecord record = {.people = people_, .limit = limit_of(body, budgets_, teams_)};
    use(teams_, body.team, record.limit);
    if (link.kind == kind::admit) {
      record.status = GrantStatus::settled;
      record.closed = link.number;
      answers_.emplace(link.number, link.answer);
    }
    if (!tokens_.emplace(link.token, link.number).second) {
      broken(link.number, "its token was used before");
    }
    grants_.emplace(link.number, Replayed{record, body.team, link.answer});
  }

  void replay_closing(const Link& link) {
    const auto token = tokens_.find(link.token);
    if (token == tokens_.end()) broken(link.number, "there is no grant with its token");
    Replayed& grant = grants_.at(token->second);
    GrantRecord& record = grant.record;
    const bool open = record.closed == 0, unstarted = record.status == GrantStatus::reserved;
    if (link.kind == kind::start && open && unstarted) {
      record.status = GrantStatus::started;
      record.run = Reader(link.body).text();
    } else if (link.kind == kind::settle && open) {
      record.status = GrantStatus::settled;
      record.closed = link.number;
    } else if (link.kind == kind::voided && open && unstarted) {
      record.status = GrantStatus::voided;
      record.closed = link.number;
      give_back(teams_, grant.team, record.limit);
    } else {
      broken(link.number, "it cannot follow what was done with this grant before");
    }
  }

  void check_lists() {
    if (storage_.count(Shelf::links) != links_ || storage_.count(Names::heads) != links_) {
      fail("the list of heads is not that of the links");
    }
    if (storage_.count(Names::tokens) != tokens_.size()) fail("there are tokens without a link");
    std::vector<Bytes> names;
    for (const auto& token : tokens_) names.push_back(bytes_of(token.first));
    const auto found = storage_.find(Names::tokens, names);
    for (std::size_t i = 0; const auto& [token, number] : tokens_) {
      if (found[i++] != number) broken(number, "its token does not lead to it");
    }
    if (storage_.count(Shelf::answers) != answers_.size()) {
      fail("there are answers without a link");
    }
    each_record(storage_, Shelf::answers, 0, links_, [&](const Record& record) {
      const auto asked = answers_.find(record.number);
      if (asked == answers_.end() || digest_of(record.bytes) != asked->second) {
        broken(record.number, "its answer is not the one that was given");
      }
    });
    if (storage_.count(Shelf::grants) != grants_.size()) fail("there are grants without a link");
    each_record(storage_, Shelf::grants, 0, links_, [&](const Record& record) {
      const auto made = grants_.find(record.number);
      if (made == grants_.end() || record.bytes != record_of(made->second.record)) {
        broken(record.number, "its grant is not what the links have made of it");
      }
    });
    if (session_.budgets != budgets_) fail("budgets are not those that the links hold");
    if (session_.teams != teams_) fail("quotas are not those that the links lead to");
    if (session_.people() != people_) {
      fail("the number of people is not the one that the links add up to");
    }
  }

  // Reserves are those that were answered, and their sums are checked with the accounts.
  void check_reserves() {
    std::uint64_t records = 0;
    for (const auto& [number, grant] : grants_) {
      if (grant.record.closed != 0) continue;
      Writer answer;
      answer.row(grant.record.limit);
      const std::uint64_t first = reserve_number(number, 0), end = reserve_number(number + 1, 0);
      each_record(storage_, Shelf::reserves, first, end - 1, [&](const Record& record) {
        answer.whole(record.number - first).bytes(record.bytes);
        add_reserves(record.number - first, record.bytes);
        ++records;
      });
      if (digest_of(answer.blob()) != grant.answer) {
        broken(number, "its reserves are not those that were granted");
      }
    }
    if (records != storage_.count(Shelf::reserves)) fail("there are reserves without a grant");
  }
  void add_reserves(std::uint64_t block, const Blob& record) {
    const std::vector<Units> rows = reserves_in(record, session_.units_a_row());
    std::vector<Units>& sum = reserved_[block];
    sum.resize(std::max(sum.size(), rows.size()));
    add_to(sum.data(), rows);
  }

  void check_blocks(std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> blocks(count);
    std::iota(blocks.begin(), blocks.end(), first);
    const auto records = storage_.get(Shelf::accounts, blocks);
    const auto people = storage_.get(Shelf::people, blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) check_block(blocks[i], records[i], people[i]);
  }
  Account read_account(std::uint64_t block, Bytes record) const {
    try {
      return unsealed(block, record, session_.units_a_row());
    } catch (const Error&) {
      broken_block(block, "accounts are not what their digest says");
    }
  }
  void check_block(std::uint64_t block, const std::optional<Blob>& record,
                   const std::optional<Blob>& people) {
    if (!record || !people) broken_block(block, "it is missing");
    const Account account = read_account(block, *record);
    accounts_.add(*account.digest);
    if (digest_of(*people) != account.people) {
      broken_block(block, "ids are not what their digest says");
    }
    const std::vector<std::string> ids = ids_in(*people);
    if (ids.size() != account.count()) broken_block(block, "there are not as many ids as accounts");
    const std::size_t places = session_.units_a_row();
    std::vector<Units>& sum = reserved_[block];
    sum.resize(account.reserved.size());
    const auto found = session_.find_places(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (found[i] != block * kBlock + i) {
        broken_block(block, "an id does not lead to its account");
      }
      if (account.kinds[i] >= budgets_.size()) broken_block(block, "a budget is missing");
      left_of(account, i, budgets_);  // refuses less than nothing
      for (std::size_t k = 0; k < places; ++k) {
        const bool limited = budgets_[account.kinds[i]][k] != kMostUnits;
        if (account.reserved[i * places + k] != (limited ? sum[i * places + k] : 0)) {
          broken_block(block, "what is reserved is not what grants hold");
        }
      }
    }
    seen_ += ids.size();
  }

  struct Replayed {
    GrantRecord record;
    std::string team;
    Checksum answer;
  };

  Session& session_;
  Storage& storage_;
  Link head_ = {};
  std::uint64_t links_ = 0, people_ = 0, seen_ = 0;
  Rows budgets_ = {};
  Teams teams_ = {};
  std::map<std::string, std::uint64_t> tokens_ = {};
  std::map<std::uint64_t, Replayed> grants_ = {};
  std::map<std::uint64_t, Checksum> answers_ = {};  // by their links
  SetDigest accounts_ = {};
  Checksum key_ = {};
  std::map<std::uint64_t, std::vector<Units>> reserved_ = {};  // by block, people x places
};

}  // namespace

void Ledger::verify() {
  Session session(*storage_, *currency_, Access::read);
  if (storage_->count(Names::places) != session.people()) {
    throw Error("ledger " + storage_->name() + " is broken: there are ids without an account");
  }
  Verification(session).run();
}

}  // namespace ration
