import { useState } from 'react'
import { useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { m } from '../../../messages/settings.ts'
import { TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { Band } from '../head.tsx'
import { saveAccount } from './account.ts'

/** Email and password; both change only by whoever knows the present password. */
export function SignInData() {
  const { user } = useBoot().session
  const [round, setRound] = useState(0)
  const send = async ({ email = '', password = '', current_password = '' }) => {
    await saveAccount({
      ...(email.trim().toLowerCase() !== user.email && { email }),
      ...(password !== '' && { password }),
      ...(current_password !== '' && { current_password }),
    })
    // A new password ends the other sessions; the fields begin empty again.
    void queries.invalidateQueries({ queryKey: ['sessions'] })
    setRound((now) => now + 1)
    toast({ text: password === '' ? m.accountSaved : m.passwordChanged })
  }
  return (
    <section aria-label={m.signIn}>
      <Band title={m.signIn} />
      <Form key={round} className="set-form" label={m.signIn} onSubmit={send}>
        <TextField
          label={m.email}
          name="email"
          type="email"
          defaultValue={user.email ?? ''}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextField
          label={m.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={m.passwordHint}
        />
        <TextField
          label={m.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          hint={m.currentWhy}
        />
        <FormActs>
          <Submit>{m.save}</Submit>
        </FormActs>
      </Form>
    </section>
  )
}
