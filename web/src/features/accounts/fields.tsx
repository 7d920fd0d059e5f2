import type { Ref } from 'react'
import { m } from '../../messages/accounts.ts'
import { TextField } from '../../ui/field.tsx'

interface EmailProps {
  defaultValue?: string
  autoFocus?: boolean
  /** Whether browsers offer passkeys here, too. */
  passkeys?: boolean
}

/** The address that an account is known by; password managers take it for the user name. */
export const EmailField = ({ passkeys, ...props }: EmailProps) => (
  <TextField
    {...props}
    label={m.email}
    name="email"
    type="email"
    autoComplete={passkeys ? 'username webauthn' : 'username'}
    autoCapitalize="none"
    spellCheck={false}
    required
  />
)

interface PresentProps {
  error?: string | undefined
  ref?: Ref<HTMLInputElement>
  autoFocus?: boolean
}

/** The password that an account has. */
export const PresentPassword = (props: PresentProps) => (
  <TextField
    {...props}
    label={m.password}
    name="password"
    type="password"
    autoComplete="current-password"
    required
  />
)

/** A password that is made now. */
export const NewPassword = (props: { autoFocus?: boolean }) => (
  <TextField
    {...props}
    label={m.newPassword}
    name="password"
    type="password"
    autoComplete="new-password"
    hint={m.passwordHint}
    required
  />
)

/** How a person is called. */
export const NameField = (props: { autoFocus?: boolean }) => (
  <TextField {...props} label={m.name} name="name" autoComplete="name" maxLength={100} required />
)

/** How the workspace that is made now is called. */
export const WorkspaceNameField = () => (
  <TextField
    label={m.workspaceName}
    name="workspace_name"
    autoComplete="organization"
    maxLength={100}
    required
  />
)
