/** Replaces the name of an erased person. */
export const REMOVED_NAME = 'Removed person'

/** The email address of an erased account, at a domain that can never exist (RFC 2606). */
export const removedEmailOf = (user_id: string): string => `${user_id}@removed.invalid`

const JSON_STRING = '"(?:[^"\\\\]|\\\\.)*"'

/**
 * Removes name, email address and avatar of a user from the JSON of an event, where the user is the
 * actor or the record. All other bytes stay the same. Users cannot forge a match in their texts,
 * because JSON escapes the quotes in them.
 */
export function anonymizePayload(payload: string, user_id: string): string {
  const name = JSON.stringify(REMOVED_NAME)
  const address = JSON.stringify(removedEmailOf(user_id))
  const value = `(?:null|${JSON_STRING})`
  const actor = new RegExp(`("user_id":"${user_id}","name":)${JSON_STRING}`, 'g')
  const record = new RegExp(
    `("id":"${user_id}","name":)${JSON_STRING}(,"email":)${value}(,"avatar_url":)${value}`,
    'g',
  )
  return payload
    .replace(actor, (_, before: string) => `${before}${name}`)
    .replace(
      record,
      (_, id: string, email: string, avatar: string) =>
        `${id}${name}${email}${address}${avatar}null`,
    )
}
