import type { Role } from './actor.ts'

/** Who somebody is, as the company's provider tells it in signed claims. */
export interface Claims {
  /** Together they name a person for ever; an address may go to somebody else. */
  issuer: string
  subject: string
  /** Lower-case; null where none is told, or the provider does not vouch for it. */
  email: string | null
  name: string
}

/** The company's own way to sign in. */
export interface Company {
  /** For a button: "Continue with …". */
  name: string
  /** Whether there is no other way in. */
  only: boolean
  /** Where people come in who have no account yet; undefined: whoever is invited. */
  newcomers: { workspace_id: string; role: Role } | undefined
  /**
   * Begins a sign-in: where the browser goes, and what is kept until it is back. 503 where the provider
   * cannot be reached.
   */
  begin(): Promise<{ url: string; kept: string }>
  /**
   * Who has come back with this answer. 401 `company_sign_in_failed` where it is not the answer to what
   * was begun; 403 for an address of another domain; 503 where the provider cannot be reached.
   */
  finish(
    kept: string,
    answer: { code: string; state: string; iss?: string | undefined },
  ): Promise<Claims>
}
