/** `text.replace(/\/+$/, '')` takes quadratic time on a text of slashes that ends in another character. */
export const withoutTrailingSlashes = (text: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
