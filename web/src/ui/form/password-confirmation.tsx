import { useState } from 'react'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { signInMessages } from '../../messages/accounts/sign-in.ts'
import { TextField } from './form-field.tsx'

/** Whether the API wants the password, because the person has signed in too long ago. */
export const isPasswordRequired = (error: unknown): boolean =>
  error instanceof ApiResponseError && error.messageFor('current_password') !== undefined

interface ConfirmingPasswordFieldProps {
  error?: string | undefined
}

/** Asks for the password of the account, to confirm who asks. */
export const ConfirmingPasswordField = ({ error }: ConfirmingPasswordFieldProps) => (
  <TextField
    label={signInMessages.current}
    name="current_password"
    type="password"
    autoComplete="current-password"
    hint={signInMessages.currentWhy}
    {...(error !== undefined && { error })}
    autoFocus
    required
  />
)

type ConfirmedRequest<T> = (confirmation: { current_password?: string }) => Promise<T>

/**
 * Sends requests that need the password after an older sign-in. `send` returns undefined if the API
 * asks for it; from then on `isPasswordNeeded` tells the form to show a `ConfirmingPasswordField`.
 */
export function usePasswordConfirmation() {
  const [isPasswordNeeded, setPasswordNeeded] = useState(false)
  const send = async <T,>(
    current_password: string,
    request: ConfirmedRequest<T>,
  ): Promise<T | undefined> => {
    try {
      return await request(isPasswordNeeded ? { current_password } : {})
    } catch (error) {
      if (isPasswordNeeded || !isPasswordRequired(error)) throw error
      setPasswordNeeded(true)
      return undefined
    }
  }
  return { isPasswordNeeded, send }
}
