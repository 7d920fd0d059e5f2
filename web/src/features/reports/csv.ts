import type { Cells } from './shown.ts'

/**
 * Rows as a CSV file: RFC 4180, with a mark by which Excel knows UTF-8. A text that a spreadsheet would take
 * for a formula gets an apostrophe before it.
 */
export const csvOf = (columns: readonly string[], rows: readonly Cells[]): string =>
  `\uFEFF${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Gives the person a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The download has begun by the next turn; the text would stay in memory until the page goes.
  setTimeout(() => URL.revokeObjectURL(url))
}
