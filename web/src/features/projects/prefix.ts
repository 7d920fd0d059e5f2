const SHORTEST = 2

/**
 * A prefix that a name suggests: its first letters, or the first letter of each of several words; with a
 * figure behind it where another project of those known has it. Empty without Latin letters: the server
 * makes one then.
 */
export function prefixOf(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/^\d+/, ''))
    .filter((word) => word !== '')
  const initials = words.map((word) => word[0]).join('')
  const stem = (words.length > 2 ? initials : words.join('')).slice(0, 3)
  if (stem.length < SHORTEST) return ''
  for (let figure = 1; ; figure++) {
    const prefix = figure === 1 ? stem : `${stem}${figure}`
    if (!taken.has(prefix)) return prefix
  }
}
