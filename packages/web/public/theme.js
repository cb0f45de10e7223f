// Sets the theme before the first paint. A file of its own because the policy of the pages allows no inline script.
;(() => {
  const chosen = localStorage.getItem('millrace.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
})()
