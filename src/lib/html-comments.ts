/**
 * The text without its HTML comments, such as those that templates of GitHub ask people with. A
 * comment without an end is text. One pass: a pattern would take quadratic time for many openings.
 */
export function withoutHtmlComments(text: string): string {
  let rest = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start < 0 ? -1 : text.indexOf('-->', start + 2)
    if (end < 0) return rest + text.slice(from)
    rest += text.slice(from, start)
    from = end + 3
  }
}
