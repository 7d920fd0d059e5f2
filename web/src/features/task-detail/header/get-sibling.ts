/** Returns the task before (-1) or after (1) another; undefined at the end of the list. */
export function getSibling(siblings: readonly string[], shortId: string, step: -1 | 1) {
  const index = siblings.indexOf(shortId)
  return index < 0 ? undefined : siblings[index + step]
}
