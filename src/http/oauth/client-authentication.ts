/** An error of the protocol (RFC 6749 §5.2). */
export interface OAuthError {
  error: string
  error_description: string
}

/**
 * Finds errors in the form of a client's authentication, before the client is looked up. A
 * request that names no client is a failed authentication; the library would report it as
 * malformed.
 */
export function findClientAuthenticationError(
  authorization: string | undefined,
  form: URLSearchParams,
): OAuthError | undefined {
  const failed = (error_description: string) => ({ error: 'invalid_client', error_description })
  if (authorization !== undefined) {
    return isBasic(authorization) ? undefined : failed('the Authorization header is not Basic')
  }
  return form.getAll('client_id').some((id) => id !== '')
    ? undefined
    : failed('no client authentication: send client_id, or the Authorization header')
}

function isBasic(authorization: string): boolean {
  const encoded = /^basic ([A-Za-z0-9+/]+)={0,2}$/i.exec(authorization)?.[1]
  if (encoded === undefined || encoded.length % 4 === 1) return false
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return isFormEncoded(id) && isFormEncoded(secret)
}

/** Client id and secret are form-encoded before they are joined (RFC 6749 §2.3.1). */
function isFormEncoded(text: string | undefined): boolean {
  if (text === undefined) return false
  try {
    return /^[\x20-\x7e]+$/.test(decodeURIComponent(text.replaceAll('+', '%20')))
  } catch {
    return false
  }
}
