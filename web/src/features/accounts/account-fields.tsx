import type { Ref } from 'react'
import { accountMessages } from '../../messages/accounts/accounts.ts'
import { TextField } from '../../ui/form/form-field.tsx'

interface EmailFieldProps {
  defaultValue?: string
  autoFocus?: boolean
  /** Whether the browser may offer passkeys in the field's suggestions. */
  passkeys?: boolean
}

/** The email address of an account; password managers treat it as the user name. */
export const EmailField = ({ passkeys, ...props }: EmailFieldProps) => (
  <TextField
    {...props}
    label={accountMessages.email}
    name="email"
    type="email"
    autoComplete={passkeys ? 'username webauthn' : 'username'}
    autoCapitalize="none"
    spellCheck={false}
    required
  />
)

interface CurrentPasswordFieldProps {
  hint?: string
  error?: string | undefined
  ref?: Ref<HTMLInputElement>
  autoFocus?: boolean
}

/** The current password of an account. */
export const CurrentPasswordField = (props: CurrentPasswordFieldProps) => (
  <TextField
    {...props}
    label={accountMessages.password}
    name="password"
    type="password"
    autoComplete="current-password"
    required
  />
)

/** A new password; password managers offer to generate it. */
export const NewPasswordField = (props: { autoFocus?: boolean }) => (
  <TextField
    {...props}
    label={accountMessages.newPassword}
    name="password"
    type="password"
    autoComplete="new-password"
    hint={accountMessages.passwordHint}
    required
  />
)

/** The full name of a person. */
export const NameField = (props: { autoFocus?: boolean; hint?: string }) => (
  <TextField
    {...props}
    label={accountMessages.name}
    name="name"
    autoComplete="name"
    maxLength={100}
    required={props.hint === undefined}
  />
)

/** The token that shows that somebody operates this installation. */
export const SetupTokenField = () => (
  <TextField
    label={accountMessages.setupToken}
    name="setup_token"
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    hint={<CommandText text={accountMessages.setupTokenHint} command="docket setup-token" />}
    required
  />
)

/** A text with a command that no line break divides, not even at its hyphens. */
function CommandText({ text, command }: { text: string; command: string }) {
  const [before, after] = text.split(command)
  return (
    <>
      {before}
      <code>{command}</code>
      {after}
    </>
  )
}

/** The name of a new workspace. */
export const WorkspaceNameField = () => (
  <TextField
    label={accountMessages.workspaceName}
    name="workspace_name"
    autoComplete="organization"
    maxLength={100}
    required
  />
)
