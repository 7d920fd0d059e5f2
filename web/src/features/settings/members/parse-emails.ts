/**
 * Parses the unique email addresses of a text, separated by commas, semicolons or whitespace. Names
 * and brackets around them are dropped.
 */
export const parseEmails = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((word) => word.replace(/^[<("']+|[>)"']+$/g, '').toLowerCase())
      .filter((word) => word.includes('@')),
  ),
]
