const EMAIL = /^[^@]+@[^@.]+(\.[^@.]+)+$/

/**
 * Parses the unique email addresses of a text, separated by commas, semicolons or whitespace, and
 * what is none. Of `Ada King <ada@example.com>` the name is dropped.
 */
export function parseEmails(text: string): { emails: string[]; invalid: string[] } {
  const words = text
    .replace(/"[^"]*"\s*(?=<)/g, '')
    .replace(/(?<![^\s,;>])[^,;\n<@]*<([^<>]*)>/g, ' $1 ')
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^[<("']+|[>)"']+$/g, ''))
    .filter(Boolean)
  return {
    emails: [...new Set(words.filter(isEmail).map((word) => word.toLowerCase()))],
    invalid: words.filter((word) => !isEmail(word)),
  }
}

const isEmail = (word: string): boolean => EMAIL.test(word)
