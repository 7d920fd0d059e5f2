/** The identity of a user, from the signed claims of the provider. */
export interface SsoClaims {
  /** Issuer and subject identify a person permanently; an email address may be reassigned. */
  issuer: string
  subject: string
  /** Lower-case; null without the claim, or if the provider has not verified the address. */
  email: string | null
  name: string
}

/** Single sign-on through the OpenID Connect provider of the company. */
export interface SsoProvider {
  /** Its host, which the button names: "Continue with …". */
  name: string
  /** True if it is the only way to sign in. */
  isOnlySignIn: boolean
  /** The workspace whose members people without an account become; undefined: they need an invitation. */
  newMemberWorkspace: string | undefined
  /**
   * Starts a sign-in: the URL for the browser, and the state to keep until it returns. Throws 503
   * if the provider cannot be reached.
   */
  beginSignIn(): Promise<{ url: string; kept: string }>
  /**
   * Verifies the answer with which the browser returned. Throws 401 `company_sign_in_failed` if it
   * does not match the started sign-in, 403 for an address of another domain, and 503 if the
   * provider cannot be reached.
   */
  finishSignIn(
    kept: string,
    answer: { code: string; state: string; iss?: string | undefined },
  ): Promise<SsoClaims>
}
