(function () {
  "use strict";

  function all(selector, root) { return Array.prototype.slice.call((root || document).querySelectorAll(selector)); }
  function set(node, values) { Object.keys(values).forEach(function (name) { node.setAttribute(name, values[name]); }); }

  // The rule of ropewalk.decision, word for word: edges are inclusive, and equivalence is looked at first.
  function decide(one, how, width) {
    if (how.rule === "probability") {
      return one.path.reduce(function (found, piece) { return piece[0] <= width ? piece[1] : found; }, one.path[0][1]);
    }
    var low = how.up ? one.hdi[0] : -one.hdi[1], high = how.up ? one.hdi[1] : -one.hdi[0];
    if (-width <= low && high <= width) { return "≈"; }
    if (high <= -width) { return "≪"; }
    if (low >= width) { return "≫"; }
    var middle = (low + high) / 2, side = middle !== 0 ? middle : (how.up ? one.mean : -one.mean);
    return side > 0 ? ">" : "<";
  }

  // Whether other draws would decide alike: every HDI end over 4 of its errors from every edge, or every mass from the bar.
  function stable(one, how, width, masses) {
    var n = one.worth || one.n;  // draws of Markov chains are worth fewer
    if (n < 1000) { return false; }
    if (how.rule === "probability") {
      return !masses || masses.every(function (p) {
        return Math.abs(p - how.prob) > 4 * Math.sqrt(Math.max(p * (1 - p), 1 / n) / n);
      });
    }
    if (Number((n * (1 - how.prob)).toFixed(6)) < 40) { return false; }  // too few draws beyond the HDI
    return [-width, width].every(function (edge) {
      return one.hdi.every(function (end, i) { return Math.abs(end - edge) > 4 * one.err[i]; });
    });
  }

  // How many draws lie below a value (or at it), from the quantiles that the page carries.
  function counter(data) {
    var x = data.x, n = data.n, last = x.length - 1;
    function place(i) { return last + 1 === n ? i : Math.floor((n - 1) * (1 - Math.cos(Math.PI * i / last)) / 2 + 0.5); }
    return function (value, inclusive) {
      var low = 0, high = x.length;
      while (low < high) {
        var middle = (low + high) >> 1;
        if (inclusive ? x[middle] <= value : x[middle] < value) { low = middle + 1; } else { high = middle; }
      }
      if (low === 0) { return 0; }
      if (low > last) { return n; }
      var from = place(low - 1), to = place(low), gap = x[low] - x[low - 1];
      var part = gap > 0 ? Math.min(Math.max((value - x[low - 1]) / gap, 0), 1) : 0;
      return from + 1 + part * Math.max(to - from - 1, 0);
    };
  }

  // Never 0% or 100%, and no decimal within the Monte Carlo error.
  function percent(share, n) {
    var floor = 3 / n <= 0.001 ? 0.001 : Math.min(Math.ceil(300 / n) / 100, 0.5);
    function bound(value) { return String(Number((100 * value).toFixed(6))) + "%"; }
    if (share < floor) { return "<" + bound(floor); }
    if (share > 1 - floor) { return ">" + bound(1 - floor); }
    var text = (100 * share).toFixed(Math.sqrt(share * (1 - share) / n) <= 0.001 ? 1 : 0);
    return (text === "0" || text === "100" ? (100 * share).toFixed(1) : text) + "%";
  }

  function plain(width) { return String(Number(width.toPrecision(6))); }  // as Python's :g

  // A slider, its stamp and its way back; `show` gets the half-width, or null for what was set before.
  function explore(root, show) {
    var box = root.querySelector(".explore"), stamp = root.querySelector(".stamp");
    var input = box.querySelector("input"), output = box.querySelector("output"), back = box.querySelector(".back");
    var preset = stamp.getAttribute("data-preset"), before = stamp.textContent, start = input.value;
    var set_to = input.getAttribute("data-preset"), touched = false;
    function update() {
      var width = Number(input.value), at_preset = set_to === "" ? !touched : width === Number(set_to);
      var text = at_preset ? preset : "±" + plain(width);
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
      stamp.textContent = at_preset ? before : "exploring: the pre-set value was " + preset;
      root.classList.toggle("exploring", !at_preset);
      back.disabled = at_preset;
      show(at_preset ? null : width);
    }
    input.addEventListener("input", function () { touched = true; update(); });
    back.addEventListener("click", function () { input.value = start; touched = false; update(); input.focus(); });
    box.hidden = false;
    if (input.value !== input.defaultValue) { input.value = start = input.defaultValue; }  // a browser may remember
    update();
  }

  function panel(root) {
    var data = JSON.parse(root.getAttribute("data-panel")), key = root.getAttribute("data-key");
    var count = counter(data), n = data.n, span = data.axis[1] - data.axis[0];
    var says = root.querySelector(".says"), symbol = root.querySelector(".symbol");
    var shares = all(".share", root), bars = all(".bar rect", root), picture = root.querySelector(".posterior");
    var band = picture.querySelector(".rope"), name = picture.querySelector(".rope-name");
    var clips = ["low", "mid", "high"].map(function (part) { return document.querySelector("#" + key + "-" + part + " rect"); });
    var curves = all(".curve .here", root);  // a page of one panel has its curve further down
    var here = curves[0] || (all("[data-panel]").length === 1 ? document.querySelector(".curve .here") : null), slider = root.querySelector(".explore input");
    var asked = { says: says.textContent, symbol: symbol.textContent, shares: shares.map(function (node) { return node.textContent; }),
      widths: bars.map(function (node) { return [node.getAttribute("x"), node.getAttribute("width")]; }) };
    function at(value) { return Math.min(Math.max((value - data.axis[0]) / span, 0), 1); }
    function draw(low, high) {
      var from = low === null ? 0 : at(low), to = high === null ? 1 : at(high);
      set(band, { x: 100 * from + "%", width: 100 * (to - from) + "%" });
      set(name, { x: 50 * (from + to) + "%" });
      set(clips[0], { x: 0, width: 1000 * from });
      set(clips[1], { x: 1000 * from, width: 1000 * (to - from) });
      set(clips[2], { x: 1000 * to, width: 1000 * (1 - to) });
    }
    explore(root, function (width) {
      if (width === null) {
        draw(data.rope[0], data.rope[1]);
        says.textContent = asked.says;
        symbol.textContent = asked.symbol;
        shares.forEach(function (node, i) { node.textContent = asked.shares[i]; });
        bars.forEach(function (node, i) { set(node, { x: asked.widths[i][0], width: asked.widths[i][1] }); });
        if (here) { here.setAttribute("visibility", "hidden"); }
        return;
      }
      var below = count(-width, false) / n, upto = count(width, true) / n;
      var masses = [below, upto - below, 1 - upto], verdict = decide(data, data, width);
      var ahead = data.up ? masses[2] : masses[0], behind = data.up ? masses[0] : masses[2];
      var leaning = masses[1] >= ahead && masses[1] >= behind ? "equivalent" : ahead >= behind ? "a" : "b";
      draw(-width, width);
      symbol.textContent = verdict;
      says.textContent = (data.say[verdict] || data.say[leaning]).replace("\u0000", "±" + plain(width)) +
        (stable(data, data, width, masses) ? "." : " (unstable: other draws may say otherwise).");
      shares.forEach(function (node, i) { node.textContent = percent(masses[i], data.worth); });
      [0, masses[0], masses[0] + masses[1]].forEach(function (x, i) { set(bars[i], { x: 1000 * x, width: 1000 * masses[i] }); });
      if (here) {
        var place = 100 * width / Number(slider.max) + "%";
        set(here, { x1: place, x2: place, visibility: "visible" });
      }
    });
  }

  // A table of verdicts that share one ROPE: symbols and the tally of them.
  function live(root) {
    var how = JSON.parse(root.getAttribute("data-live")), tally = root.querySelector(".tally");
    var parts = all("[data-one]", root).map(function (node) { return { node: node, one: JSON.parse(node.getAttribute("data-one")), asked: node.textContent }; });
    var bands = all(".rope", root).map(function (node) { return { node: node, x: node.getAttribute("x"), width: node.getAttribute("width") }; });
    var counted = parts.some(function (part) { return part.node.hasAttribute("data-count"); });
    var kinds = { "≫": "won", "≪": "lost", "≈": "even" }, coloured = root.querySelector(".pairs") !== null;
    explore(root, function (width) {
      var counts = { "≫": 0, "≪": 0, "≈": 0, "?": 0 }, shaky = 0;
      parts.forEach(function (part) {
        var symbol = part.asked;
        if (width !== null) { symbol = decide(part.one, how, width) + (stable(part.one, how, width) ? "" : "?"); }
        var plain = symbol.charAt(0);
        part.node.textContent = symbol;
        if (coloured) { part.node.className = "symbol " + (kinds[plain] || ""); }
        if (!counted || part.node.hasAttribute("data-count")) {
          counts[kinds[plain] ? plain : "?"] += 1;
          shaky += symbol.length > 1;
        }
      });
      bands.forEach(function (band) {
        if (width === null) { set(band.node, { x: band.x, width: band.width }); return; }
        var low = Math.max(0, (-width - how.axis[0]) / (how.axis[1] - how.axis[0]));
        var high = Math.min(1, (width - how.axis[0]) / (how.axis[1] - how.axis[0]));
        set(band.node, { x: 100 * Math.min(low, 1) + "%", width: 100 * Math.max(high - low, 0) + "%" });
      });
      tally.textContent = counts["≫"] + counts["≪"] + counts["≈"] + " of " + (counts["≫"] + counts["≪"] + counts["≈"] + counts["?"]) +
        " settled: ≫ " + counts["≫"] + " · ≪ " + counts["≪"] + " · ≈ " + counts["≈"] + " · undecided " + counts["?"] +
        (shaky ? " · " + shaky + " of them may change with other draws (?)" : "");
    });
  }

  function copying() {
    var box = document.querySelector(".copies"), status = document.querySelector(".copied");
    function by_selection(text) {  // where the browser gives no clipboard to pages from disk
      var area = document.createElement("textarea");
      area.value = text;
      area.setAttribute("readonly", "");
      document.body.appendChild(area);
      area.select();
      var done = document.execCommand("copy");
      document.body.removeChild(area);
      return done;
    }
    all("[data-copy]").forEach(function (button) {
      button.addEventListener("click", function () {
        var text = document.getElementById(button.getAttribute("data-copy")).textContent;
        function tell(done) {  // emptied first, so that it is read out again
          status.textContent = "";
          var told = done ? "Copied." : "The browser does not allow it; select the text instead.";
          setTimeout(function () { status.textContent = told; }, 50);
        }
        function fallback() { tell(by_selection(text)); button.focus(); }
        if (navigator.clipboard && window.isSecureContext) {
          navigator.clipboard.writeText(text).then(function () { tell(true); }, fallback);
        } else { fallback(); }
      });
    });
    box.hidden = false;
  }

  all("[data-panel]").forEach(panel);
  all("[data-live]").forEach(live);
  copying();
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = all("details:not([open])").filter(function (node) { return !node.querySelector("pre"); });
    opened.forEach(function (node) { node.open = true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (node) { node.open = false; }); });
})();
