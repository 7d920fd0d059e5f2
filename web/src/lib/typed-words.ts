import { m } from '../messages/time.ts'

/** Words of a date or of a new task as somebody typed them, in English and in small letters: "nächsten Fr" is "next fri". */
export const inEnglish = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/\p{L}+/gu, (word) => (Object.hasOwn(m.typed, word) ? (m.typed[word] ?? word) : word))
