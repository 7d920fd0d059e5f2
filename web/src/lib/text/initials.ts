/** The first letters of the first and the last word of a name: "Tomás Rivera" becomes "TR". */
export function getInitials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word = '') => getFirstCharacter(word).toLocaleUpperCase()).join('')
}

/** All of a flag or of a letter with its accents, which are several code points. */
function getFirstCharacter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word)
  return first?.segment ?? ''
}
