/* Rows of the ways to sign in beside the password; `tables.ts` has the others. */

/** The second factor of a person: codes that an application makes by the time (RFC 6238). */
export interface SecondFactorRow {
  user_id: string
  sealed_secret: string
  /** The step of 30 seconds whose code was used last: none up to it is right any more. */
  last_step: number
  /** Null: set up, but no code of it was shown yet. */
  enabled_at: string | null
  created_at: string
}

/** A code that stands in for the second factor, once. */
export interface RecoveryCodeRow {
  user_id: string
  hash: string
}

/** A key of WebAuthn with which a person signs in. */
export interface PasskeyRow {
  id: string
  user_id: string
  /** The id that the authenticator gave it, in base64url. */
  credential: string
  /** COSE, in base64url. */
  public_key: string
  /** How often it was used, as it says itself; 0 where it does not count. */
  counter: number
  /** JSON array of how a browser reaches it. */
  transports: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** Who a person is at the company's provider. */
export interface CompanyLinkRow {
  issuer: string
  subject: string
  user_id: string
  /** As the provider told it last. */
  email: string | null
  created_at: string
  last_used_at: string | null
}

/** What lies between two requests of one sign-in; the browser alone has the value of the hash. */
export interface SignInStepRow {
  hash: string
  kind: 'second_factor' | 'no_workspace' | 'passkey' | 'company' | 'link'
  user_id: string | null
  /** JSON. */
  payload: string
  expires_at: string
}
