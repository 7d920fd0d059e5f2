import { signInMessages } from '../../messages/accounts/sign-in.ts'
import { TextField } from './form-field.tsx'

/** Asks for the password of the account, to confirm who asks. */
export const ConfirmingPasswordField = () => (
  <TextField
    label={signInMessages.current}
    name="current_password"
    type="password"
    autoComplete="current-password"
    hint={signInMessages.currentWhy}
    autoFocus
    required
  />
)
