/* Rows of sign-in methods other than the password; `tables.ts` has the others. */

/** A user's second factor: time-based one-time passwords (RFC 6238). */
export interface SecondFactorRow {
  user_id: string
  sealed_secret: string
  /** The 30-second time step of the last accepted code; codes up to it are rejected. */
  last_step: number
  /** Null until the first code confirms the setup. */
  enabled_at: string | null
  created_at: string
}

/** A single-use code that replaces the second factor. */
export interface RecoveryCodeRow {
  user_id: string
  hash: string
}

/** A WebAuthn credential. */
export interface PasskeyRow {
  id: string
  user_id: string
  /** The credential id from the authenticator, in base64url. */
  credential: string
  /** COSE, in base64url. */
  public_key: string
  /** The authenticator's signature counter; 0 if it does not count. */
  counter: number
  /** JSON array of WebAuthn transports. */
  transports: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** A user's identity at the company's OpenID Connect provider. */
export interface CompanyLinkRow {
  issuer: string
  subject: string
  user_id: string
  /** The address in the provider's last response. */
  email: string | null
  created_at: string
  last_used_at: string | null
}

/**
 * State between two requests of a sign-in; only the browser has the hashed value. `completed`: a
 * state that the browser kept itself, and that must not be used again.
 */
export interface SignInStepRow {
  hash: string
  kind: 'second_factor' | 'no_workspace' | 'link' | 'email' | 'completed'
  user_id: string | null
  /** JSON. */
  payload: string
  expires_at: string
}
