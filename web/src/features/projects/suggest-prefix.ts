const MIN_PREFIX_LENGTH = 2

/**
 * Suggests a prefix for a project name: its first letters, or the initials of three or more words,
 * with a number appended if the prefix is taken. Empty if the name has too few Latin letters; the
 * server then generates one.
 */
export function suggestPrefix(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/^\d+/, ''))
    .filter((word) => word !== '')
  const initials = words.map((word) => word[0]).join('')
  const stem = (words.length > 2 ? initials : words.join('')).slice(0, 3)
  if (stem.length < MIN_PREFIX_LENGTH) return ''
  for (let suffix = 1; ; suffix++) {
    const prefix = suffix === 1 ? stem : `${stem}${suffix}`
    if (!taken.has(prefix)) return prefix
  }
}
