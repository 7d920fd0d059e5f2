/** What stands where a person's name stood. */
export const REMOVED_NAME = 'Removed person'

/** The address that nobody has, of an account that was erased. */
export const removedAddress = (user_id: string): string => `${user_id}@removed.invalid`

const TEXT = '"(?:[^"\\\\]|\\\\.)*"'

/**
 * The text of an envelope without the name, the address and the picture of a person: where it did something,
 * and where it is the record. All other bytes stay. Quotes within texts are escaped in JSON, so that nobody
 * can write what would be taken for it.
 */
export function blanked(payload: string, user_id: string): string {
  const name = JSON.stringify(REMOVED_NAME)
  const address = JSON.stringify(removedAddress(user_id))
  const value = `(?:null|${TEXT})`
  const actor = new RegExp(`("user_id":"${user_id}","name":)${TEXT}`, 'g')
  const record = new RegExp(
    `("id":"${user_id}","name":)${TEXT}(,"email":)${value}(,"avatar_url":)${value}`,
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
