// Draws the charts of a report page from the values in it, and makes its buttons work.
"use strict";
(() => {
  const root = document.documentElement;
  const specifications = JSON.parse(document.getElementById("charts").textContent);
  const dashes = [[], [7, 4], [2, 3], [10, 4, 2, 4], [14, 5], [4, 2]];
  const logarithmic = new Set(); // ids of charts
  let charts = [];

  // Theme: the system's, until the reader chooses.
  const key = "ration-theme";
  const kept = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem(key, theme); } catch { /* lasts until the page is closed */ } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

  // Four digits as in the tables; what is read of a bound is still one.
  const written = (digits) => Number(digits).toLocaleString("en", { maximumSignificantDigits: 4 });
  const number = (value) => written(value.toPrecision(4));
  function beyond(value, isBeyond, direction) {
    const digits = value.toExponential(3);
    if (!Number.isFinite(value) || value === 0 || isBeyond(Number(digits))) return written(digits);
    const [head, exponent] = digits.split("e");
    return written(`${Math.round(Number(head) * 1000) + direction}e${Number(exponent) - 3}`);
  }
  const upward = (value) => beyond(value, (read) => read >= value, 1);
  const downward = (value) => beyond(value, (read) => read <= value, -1);
  const numberOf = (given) => (given.bounds ? upward : number);
  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const seriesColour = (i) => colour(`c${1 + (i % 7)}`);

  // Bars that differ in more than colour.
  function hatched(shade) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.strokeStyle = shade;
    pen.lineWidth = 2;
    for (const at of [-8, 0, 8]) {
      pen.moveTo(at, 8);
      pen.lineTo(at + 8, 0);
    }
    pen.stroke();
    return pen.createPattern(tile, "repeat");
  }

  // Vertical lines with names, one below the other so that none covers another.
  const markers = {
    id: "markers",
    afterDatasetsDraw(chart) {
      const { ctx: pen, chartArea: area, scales } = chart;
      (chart.config.options.markers ?? []).forEach((marker, i) => {
        const x = scales.x.getPixelForValue(marker.x);
        const y = area.top + 14 + 17 * i;
        pen.save();
        pen.strokeStyle = pen.fillStyle = seriesColour(i + 1);
        pen.lineWidth = 2;
        pen.setLineDash(dashes[i % dashes.length]);
        pen.beginPath();
        pen.moveTo(x, area.top);
        pen.lineTo(x, area.bottom);
        pen.stroke();
        pen.font = `600 12px ${Chart.defaults.font.family}`;
        const width = pen.measureText(marker.name).width;
        const left = x - width - 7 >= area.left ? x - width - 7 : Math.min(x + 7, area.right - width);
        pen.fillStyle = colour("raised");
        pen.fillRect(left - 2, y - 11, width + 4, 15);
        pen.fillStyle = seriesColour(i + 1);
        pen.fillText(marker.name, left, y);
        pen.restore();
      });
    },
  };

  // The middle of a range, as a stroke across its bar.
  const middles = {
    id: "middles",
    afterDatasetsDraw(chart) {
      const { ctx: pen, scales } = chart;
      chart.data.datasets.forEach((series, i) => (series.middles ?? []).forEach((middle, j) => {
        const bar = chart.getDatasetMeta(i).data[j];
        if (!bar || !Number.isFinite(middle)) return;
        const x = scales.x.getPixelForValue(middle);
        pen.save();
        pen.fillStyle = colour("ink");
        pen.fillRect(x - 1.5, bar.y - bar.height / 2 - 3, 3, bar.height + 6);
        pen.restore();
      }));
    },
  };

  const grid = () => ({ color: colour("line"), borderColor: colour("soft") });

  function axis(given, more = {}) {
    return {
      type: given.logarithmic ? "logarithmic" : "linear",
      min: given.from,
      max: given.to,
      title: { display: true, text: given.title },
      grid: grid(),
      ...more,
    };
  }

  function legend(show, box = { boxWidth: 14 }) {
    return { display: show, position: "bottom", align: "start", labels: { boxWidth: 30, padding: 14, ...box } };
  }

  function histogram(given) {
    const counts = { ...given.y, logarithmic: logarithmic.has(given.id) };
    const middle = given.edges.slice(1).map((edge, i) => (edge + given.edges[i]) / 2);
    return {
      type: "bar",
      data: {
        datasets: given.series.map((series, i) => ({
          label: series.name,
          data: series.heights.map((height, j) => ({ x: middle[j], y: height })),
          backgroundColor: seriesColour(i),
          barPercentage: 1,
          categoryPercentage: 0.92,
        })),
      },
      options: {
        markers: given.markers,
        scales: {
          x: axis(given.x, { offset: false, grid: { ...grid(), offset: false }, ticks: { maxTicksLimit: 9, maxRotation: 0 } }),
          y: axis(counts, { min: counts.logarithmic ? 0.5 : 0, ticks: { maxTicksLimit: 8, callback: scaleOf(counts) } }),
        },
        plugins: {
          legend: legend(given.series.length > 1),
          tooltip: {
            callbacks: {
              title: ([item]) => `${given.x.title} ${downward(given.edges[item.dataIndex])} to ${upward(given.edges[item.dataIndex + 1])}`,
              label: (item) => `${item.raw.y.toLocaleString("en")} ${given.y.title}`,
            },
          },
        },
      },
    };
  }

  // A logarithmic axis is labelled at powers of ten alone.
  function scaleOf(given) {
    return (value) => {
      if (given.logarithmic && !Number.isInteger(Math.log10(value))) return null;
      return value.toLocaleString("en");
    };
  }

  function lines(given) {
    return {
      type: "line",
      data: {
        datasets: given.series.map((series, i) => ({
          label: series.name,
          data: series.x.map((x, j) => ({ x, y: series.y[j] })),
          borderColor: seriesColour(i),
          backgroundColor: seriesColour(i),
          borderDash: series.dashed ? [5, 4] : dashes[i % dashes.length],
          borderWidth: 2,
          pointRadius: series.x.length > 1 ? 0 : 4,
          pointHitRadius: 8,
        })),
      },
      options: {
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: {
          x: axis(given.x, { ticks: { maxTicksLimit: 8, maxRotation: 0 } }),
          y: axis(given.y, { ticks: { maxTicksLimit: 7 } }),
        },
        plugins: {
          legend: legend(given.series.length > 1, { boxHeight: 0 }), // a stroke, dashed like the line
          tooltip: {
            mode: "index",
            callbacks: {
              title: ([item]) => `${given.x.title} ${number(item.raw.x)}`,
              label: (item) => `${item.dataset.label}: ${numberOf(given)(item.raw.y)}`,
            },
          },
        },
      },
    };
  }

  function bars(given) {
    const ranged = given.series.some((series) => series.ranges.length > 0);
    const short = (text) => (text.length > 18 ? `${text.slice(0, 17)}…` : text);
    return {
      type: "bar",
      data: {
        labels: given.categories,
        datasets: given.series.map((series, i) => ({
          label: series.name,
          data: series.ranges.length ? series.ranges : series.values,
          middles: series.ranges.length ? series.values : undefined,
          backgroundColor: i % 2 ? hatched(seriesColour(i)) : seriesColour(i),
          borderColor: seriesColour(i),
          borderWidth: 1,
          maxBarThickness: series.ranges.length ? 12 : 18,
        })),
      },
      options: {
        indexAxis: "y",
        scales: {
          x: axis({ ...given.y, from: given.y.from ?? 0 }, { ticks: { maxTicksLimit: 6, maxRotation: 0 } }),
          y: {
            ticks: { autoSkip: false, callback: (_, i) => short(given.categories[i]) },
            grid: { display: false, borderColor: colour("soft") },
          },
        },
        plugins: {
          legend: legend(given.series.length > 1 || ranged),
          tooltip: {
            callbacks: {
              label: (item) => {
                const series = given.series[item.datasetIndex];
                const shown = numberOf(given);
                const value = shown(series.values[item.dataIndex]);
                const range = series.ranges[item.dataIndex];
                return `${series.name}: ${value}${range ? ` (${shown(range[0])} to ${shown(range[1])})` : ""}`;
              },
            },
          },
        },
      },
    };
  }

  const kinds = { histogram, lines, bars };

  function draw(given) {
    const box = document.querySelector(`#${given.id} .canvas`);
    // Long lists of groups need room.
    if (given.kind === "bars") {
      const row = given.series.length > 1 ? 46 : 32;
      box.style.height = `${Math.max(170, 96 + row * given.categories.length)}px`;
    }
    const chart = kinds[given.kind](given);
    Object.assign(chart.options, { responsive: true, maintainAspectRatio: false, animation: false });
    return new Chart(box.querySelector("canvas"), { ...chart, plugins: [markers, middles] });
  }

  function drawAll() {
    charts.forEach((chart) => chart.destroy());
    Chart.defaults.color = colour("soft");
    Chart.defaults.font.family = getComputedStyle(document.querySelector("nav")).fontFamily;
    charts = specifications.map(draw);
  }

  function showTheme() {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isDark()));
    drawAll();
  }

  const theme = kept();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    showTheme();
  });
  system.addEventListener("change", showTheme);

  for (const button of document.querySelectorAll(".scale")) {
    const id = button.closest("figure").id;
    button.hidden = false;
    button.addEventListener("click", () => {
      logarithmic.has(id) ? logarithmic.delete(id) : logarithmic.add(id);
      button.setAttribute("aria-pressed", String(logarithmic.has(id)));
      drawAll();
    });
  }

  // Paper is white. Where it has another width, the stylesheet scales what was drawn.
  let onScreen;
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
    document.querySelector("#settings details").open = true;
    drawAll();
  });
  addEventListener("afterprint", () => {
    if (onScreen) root.dataset.theme = onScreen; else delete root.dataset.theme;
    drawAll();
  });

  showTheme();
})();
