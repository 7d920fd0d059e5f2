/** Formats a result for people: a line for each field, or a table if it is a list. */
export function formatResult(result: object): string {
  if ('data' in result && Array.isArray(result.data)) return formatTable(result.data)
  const rows = Object.entries(result)
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join('\n')
}

/** Formats records as a table with their field names as its head. */
export function formatTable(records: readonly object[]): string {
  const [first] = records
  if (!first) return 'none'
  const names = Object.keys(first)
  const rows = [names, ...records.map((record) => Object.values(record).map(formatValue))]
  const widths = names.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const formatRow = (row: string[]) =>
    row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ')
  return rows.map((row) => formatRow(row).trimEnd()).join('\n')
}

function formatValue(value: unknown): string {
  if (value === null) return '–'
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.join(', ')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
