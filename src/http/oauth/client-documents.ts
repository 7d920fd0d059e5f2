import {
  documentApplicationId,
  isDocumentFresh,
  saveDocumentApplication,
} from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { AppContext } from '../app-context.ts'
import { parseRegistration } from './registration-handler.ts'

const MAX_CLIENT_ID_LENGTH = 2_048

/**
 * Whether a client id is the address of the client's metadata document: https, with a path, and written as the
 * URL class writes it, so that each address is one client.
 */
export const isDocumentAddress = (client_id: string | null): client_id is string => {
  if (client_id === null || client_id.length > MAX_CLIENT_ID_LENGTH) return false
  const url = URL.parse(client_id)
  return (
    url?.protocol === 'https:' &&
    url.href === client_id &&
    url.pathname !== '/' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  )
}

/** Replaces a client id that is such an address by the id of the application of its document. */
export function normalizeClientId(parameters: URLSearchParams): void {
  const [client_id = null, ...others] = parameters.getAll('client_id')
  if (others.length === 0 && isDocumentAddress(client_id))
    parameters.set('client_id', documentApplicationId(client_id))
}

/**
 * Reads the metadata document of a client (draft-ietf-oauth-client-id-metadata-document) and keeps what it says as an
 * application of the installation. Returns why that is not possible, or undefined. People are asked by the name in
 * the document, which nobody has verified; the homepage is the origin that it came from.
 */
export async function loadClientDocument(
  { storage, oauth, limits }: AppContext,
  client_id: string,
  ip: string,
): Promise<string | undefined> {
  const id = documentApplicationId(client_id)
  if (await storage.read(ANONYMOUS_ACTOR, (tx) => isDocumentFresh(tx, id))) return undefined
  limits.address(ip)
  const document = await oauth.fetchDocument(client_id)
  if (typeof document !== 'object' || document === null)
    return 'the metadata document at client_id cannot be read'
  if (!('client_id' in document) || document.client_id !== client_id)
    return 'the metadata document names another client_id'
  if ('client_secret' in document) return 'the metadata document must not contain a client_secret'
  if ('token_endpoint_auth_method' in document && document.token_endpoint_auth_method !== 'none')
    return 'token_endpoint_auth_method of the metadata document must be none'
  const registration = parseRegistration(document)
  if ('error' in registration) return registration.error_description
  const input = { ...registration, homepage_url: new URL(client_id).origin }
  await storage.write(ANONYMOUS_ACTOR, (tx) => saveDocumentApplication(tx, id, input))
  return undefined
}
