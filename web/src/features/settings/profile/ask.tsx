import { m } from '../../../messages/sign-in.ts'
import { TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { CodeField } from '../../accounts/code-form.tsx'
import type { Means } from './means-query.ts'

interface AskProps {
  label: string
  /** What its button says, where that is not the label. */
  action?: string
  means: Means
  /** Whether a code is asked for, too. */
  code?: boolean
  send: (body: { code: string; current_password?: string }) => Promise<void>
  onCancel: () => void
}

/** The password, where there is one, before how one signs in changes. */
export function Ask({ label, action = label, means, code, send, onCancel }: AskProps) {
  const submit = ({ code: given = '', current_password = '' }) =>
    send({ code: given, ...(current_password && { current_password }) })
  return (
    <Form className="set-form" label={label} onSubmit={submit}>
      {means.has_password && (
        <TextField
          label={m.current}
          name="current_password"
          type="password"
          autoComplete="current-password"
          hint={m.currentWhy}
          autoFocus
          required
        />
      )}
      {code && <CodeField hint={m.codeWhy} autoFocus={!means.has_password} />}
      <FormActs onCancel={onCancel}>
        <Submit>{action}</Submit>
      </FormActs>
    </Form>
  )
}
