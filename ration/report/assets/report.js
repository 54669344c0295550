// Draws the charts of a report page from the values in it, and makes its buttons work.
"use strict";
(() => {
  const root = document.documentElement;
  const specifications = JSON.parse(document.getElementById("charts").textContent);
  // By colour, so that what is drawn alike is the same: everybody has an unbroken line, each group its own.
  const dashes = [[], [9, 3], [2, 3], [10, 4, 2, 4], [16, 4], [5, 2, 2, 2, 2, 2], [4, 2]];
  const plainDash = [6, 4];
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
  const seriesColour = (i) => colour(`c${1 + (i % 8)}`);
  const dashOf = (series) => (series.dashed ? plainDash : dashes[series.colour % dashes.length]);
  const superscript = (digits) => digits.replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

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

  // Vertical lines whose names stand above the plot, those further right higher up: none lies on another, on a line
  // or on what is drawn.
  // What is promised has the same colour in every chart.
  const markerLine = 17;
  const markers = {
    id: "markers",
    afterDatasetsDraw(chart) {
      const { ctx: pen, chartArea: area, scales } = chart;
      const given = [...(chart.config.options.markers ?? [])].sort((a, b) => a.x - b.x);
      chart.drawnNames = [];
      given.forEach((marker, i) => {
        const x = scales.x.getPixelForValue(marker.x);
        const y = area.top - markerLine * (i + 1) + 9;
        pen.save();
        pen.strokeStyle = colour("c8");
        pen.lineWidth = 2;
        pen.setLineDash(marker.name.startsWith("promise") ? plainDash : [2, 3]);
        pen.beginPath();
        pen.moveTo(x, y - 10);
        pen.lineTo(x, area.bottom);
        pen.stroke();
        pen.font = `600 12px ${Chart.defaults.font.family}`;
        const width = pen.measureText(marker.name).width;
        const left = x - width - 7 >= 0 ? x - width - 7 : Math.min(x + 7, chart.width - width);
        pen.fillStyle = colour("ink");
        pen.fillText(marker.name, left, y);
        chart.drawnNames.push({ text: marker.name, room: [left, y - 11, left + width, y + 3] });
        pen.restore();
      });
    },
  };

  // Names beside points; one that would lie on another name or point is left to the pointer and the table.
  const names = {
    id: "names",
    afterDatasetsDraw(chart) {
      const points = chart.config.options.names;
      if (!points) return;
      const { ctx: pen, chartArea: area, scales } = chart;
      const at = points.map((point) => [scales.x.getPixelForValue(point.x), scales.y.getPixelForValue(point.y)]);
      const taken = at.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
      const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
      pen.save();
      pen.font = `12px ${Chart.defaults.font.family}`;
      pen.fillStyle = colour("ink");
      points.forEach((point, i) => {
        const [x, y] = at[i];
        const text = short(point.name);
        const width = pen.measureText(text).width;
        for (const left of [x + 10, x - 10 - width]) {
          const room = [left, y - 8, left + width, y + 8];
          if (room[0] < area.left || room[2] > area.right || taken.some((other) => meets(other, room))) continue;
          pen.fillText(text, left, y + 4);
          taken.push(room);
          chart.drawnNames.push({ text, room });
          break;
        }
      });
      pen.restore();
    },
  };

  // The middle of a range, as a stroke across its bar; around it the bar's colour, should the bar be too short to see.
  const middles = {
    id: "middles",
    afterDatasetsDraw(chart) {
      const { ctx: pen, scales } = chart;
      chart.data.datasets.forEach((series, i) => (series.middles ?? []).forEach((middle, j) => {
        const bar = chart.getDatasetMeta(i).data[j];
        if (!bar || !Number.isFinite(middle)) return;
        const x = scales.x.getPixelForValue(middle);
        pen.save();
        if (bar.width < 7) {
          pen.fillStyle = series.borderColor[j];
          pen.fillRect(x - 3.5, bar.y - bar.height / 2, 7, bar.height);
        }
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

  // The legend stands below the chart as text; each entry shows what is drawn, dashes and hatching included.
  const svgNames = "http://www.w3.org/2000/svg";
  function shape(name, attributes) {
    const element = document.createElementNS(svgNames, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }
  function sampleOf(entry) {
    const picture = shape("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true" });
    if (entry.dash) {
      picture.append(shape("line", {
        x1: 0, y1: 6, x2: 34, y2: 6, stroke: entry.colour, "stroke-width": 2.5, "stroke-dasharray": entry.dash.join(" ") || "none",
      }));
      return picture;
    }
    picture.append(shape("rect", {
      x: 8, y: 0.5, width: 18, height: 11, fill: entry.hatched ? "none" : entry.colour, stroke: entry.colour,
    }));
    for (const x of entry.hatched ? [8, 14, 20] : []) {
      picture.append(shape("line", { x1: x, y1: 11, x2: x + 6, y2: 1, stroke: entry.colour, "stroke-width": 1.5 }));
    }
    return picture;
  }
  function showLegend(box, entries) {
    const figure = box.closest("figure");
    figure.querySelector(".legend")?.remove();
    if (entries.length === 0) return;
    const list = document.createElement("ul");
    list.className = "legend";
    for (const entry of entries) {
      const item = document.createElement("li");
      item.append(sampleOf(entry), entry.name);
      list.append(item);
    }
    box.after(list);
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
          backgroundColor: seriesColour(i), // everybody's
          barPercentage: 1,
          categoryPercentage: 0.92,
        })),
      },
      options: {
        markers: given.markers,
        scales: {
          x: axis(given.x, { offset: false, grid: { ...grid(), offset: false }, ticks: { maxTicksLimit: 9, maxRotation: 0, includeBounds: false } }),
          y: axis(counts, { min: counts.logarithmic ? 0.5 : 0, ticks: { maxTicksLimit: 8, callback: scaleOf(counts) } }),
        },
        plugins: {
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

  // A logarithmic axis is labelled at powers of ten alone, and at every second or third where there are many.
  function scaleOf(given) {
    return function label(value, index, ticks) {
      if (!given.logarithmic) return Chart.Ticks.formatters.numeric.call(this, value, index, ticks);
      const power = Math.round(Math.log10(value));
      if (Math.abs(Math.log10(value) - power) > 1e-9) return null;
      const powers = ticks.map((tick) => Math.log10(tick.value));
      const every = Math.ceil((Math.max(...powers) - Math.min(...powers)) / 8);
      if (power % Math.max(every, 1) !== 0) return null;
      const plain = powers.every((each) => each > -4.5 && each < 7);
      return plain ? value.toLocaleString("en", { maximumSignificantDigits: 1 }) : `10${superscript(String(power))}`;
    };
  }

  // What a reader made logarithmic cannot begin at 0: it begins at the least value above it.
  function zoomed(given) {
    const both = given.zoom === "both" && logarithmic.has(given.id);
    const least = (key) => Math.min(...given.series.flatMap((series) => series[key].filter((_, i) => series.x[i] > 0)));
    const axisOf = (key) => (both ? { ...given[key], logarithmic: true, from: least(key) } : given[key]);
    return { x: axisOf("x"), y: axisOf("y") };
  }

  function lines(given) {
    const { x, y } = zoomed(given);
    return {
      type: "line",
      legend: given.series.length > 1
        ? given.series.map((series) => ({ name: series.name, colour: seriesColour(series.colour), dash: dashOf(series) }))
        : [],
      data: {
        datasets: given.series.map((series) => ({
          label: series.name,
          data: series.x.map((at, j) => ({ x: at, y: series.y[j] })).filter((point) => !x.logarithmic || point.x > 0),
          borderColor: seriesColour(series.colour),
          backgroundColor: seriesColour(series.colour),
          borderDash: dashOf(series),
          borderWidth: 2,
          pointRadius: series.x.length > 1 ? 0 : 4,
          pointHitRadius: 8,
        })),
      },
      options: {
        markers: given.markers,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: {
          x: axis(x, { ticks: { maxTicksLimit: x.logarithmic ? 400 : 8, autoSkip: !x.logarithmic, maxRotation: 0,
            includeBounds: false, callback: scaleOf(x) } }),
          y: axis(y, { ticks: { maxTicksLimit: y.logarithmic ? 400 : 7, autoSkip: !y.logarithmic, callback: scaleOf(y) } }),
        },
        plugins: {
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

  const short = (text) => (text.length > 18 ? `${text.slice(0, 17)}…` : text);

  // Bars of groups have the groups' colours; series then differ by hatching.
  function bars(given) {
    const ranged = given.series.some((series) => series.ranges.length > 0);
    const grouped = given.colours.length > 0;
    const coloursOf = (i) => given.categories.map((_, j) => seriesColour(grouped ? given.colours[j] : i));
    const fill = (i, shade) => (i % 2 ? hatched(shade) : shade);
    return {
      type: "bar",
      legend: given.series.length > 1 || ranged
        ? given.series.map((series, i) => ({
          name: series.name, colour: grouped ? colour("soft") : seriesColour(i), hatched: i % 2 === 1,
        }))
        : [],
      data: {
        labels: given.categories,
        datasets: given.series.map((series, i) => ({
          label: series.name,
          data: series.ranges.length ? series.ranges : series.values,
          middles: series.ranges.length ? series.values : undefined,
          backgroundColor: coloursOf(i).map((shade) => fill(i, shade)),
          borderColor: coloursOf(i),
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

  function points(given) {
    return {
      type: "scatter",
      legend: [],
      data: {
        datasets: [{
          data: given.points.map(({ x, y }) => ({ x, y })),
          backgroundColor: given.points.map((point) => seriesColour(point.colour)),
          pointRadius: 6,
          pointHoverRadius: 8,
        }],
      },
      options: {
        names: given.points,
        layout: { padding: { right: 8 } },
        scales: {
          x: axis(given.x, { grace: "12%", ticks: { maxTicksLimit: 7, maxRotation: 0, callback: scaleOf(given.x) } }),
          y: axis(given.y, { grace: "12%", ticks: { maxTicksLimit: 7, callback: scaleOf(given.y) } }),
        },
        plugins: {
          tooltip: {
            callbacks: {
              title: ([item]) => given.points[item.dataIndex].name,
              label: (item) => [`${given.x.title}: ${numberOf(given)(item.raw.x)}`, `${given.y.title}: ${number(item.raw.y)}`],
            },
          },
        },
      },
    };
  }

  const kinds = { histogram, lines, bars, points };

  function draw(given) {
    const box = document.querySelector(`#${given.id} .canvas`);
    // Long lists of groups need room.
    if (given.kind === "bars") {
      const row = given.series.length > 1 ? 46 : 32;
      box.style.height = `${Math.max(170, 96 + row * given.categories.length)}px`;
    }
    const { legend = [], ...chart } = kinds[given.kind](given);
    showLegend(box, legend);
    if (given.markers?.length) chart.options.layout = { padding: { top: markerLine * given.markers.length } };
    Object.assign(chart.options, { responsive: true, maintainAspectRatio: false, animation: false });
    chart.options.plugins.legend = { display: false };
    return new Chart(box.querySelector("canvas"), { ...chart, plugins: [markers, middles, names] });
  }

  function drawAll() {
    charts.forEach((chart) => chart.destroy());
    Chart.defaults.color = colour("soft");
    Chart.defaults.locale = "en";
    Chart.defaults.font.family = getComputedStyle(document.querySelector("nav")).fontFamily;
    charts = specifications.map(draw);
  }

  function showTheme() {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.textContent = isDark() ? "Switch to light" : "Switch to dark";
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
