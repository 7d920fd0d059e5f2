/** The addresses in a text: parted by commas, semicolons, spaces or lines, each once; names around them fall away. */
export const emailsOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(/[\s,;]+/)
      .map((word) => word.replace(/^[<("']+|[>)"']+$/g, '').toLowerCase())
      .filter((word) => word.includes('@')),
  ),
]
