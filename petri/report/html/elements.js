/* Elements of a page, for the scripts behind this one. */
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const make = (name, text, cls) => {
  const one = document.createElement(name);
  if (text !== undefined) one.textContent = text;
  if (cls) one.className = cls;
  return one;
};
