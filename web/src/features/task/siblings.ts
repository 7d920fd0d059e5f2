/** The task before (-1) or after (1) one in a list; undefined at its end, or if it is not in it. */
export function siblingOf(siblings: readonly string[], shortId: string, step: -1 | 1) {
  const at = siblings.indexOf(shortId)
  return at < 0 ? undefined : siblings[at + step]
}
