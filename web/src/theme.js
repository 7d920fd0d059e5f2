// Before the first paint: the theme and density that this browser was given.
for (const name of ['theme', 'density']) {
  try {
    const value = localStorage.getItem(`docket.${name}`)
    if (value) document.documentElement.dataset[name] = value
  } catch {} // The browser blocks site data.
}
