import { type ReactNode, type Ref, useRef, useState } from 'react'
import type { giveSecondFactor } from '#accounts/internal.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { FormLine, TextField } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { SlipHead } from './alone.tsx'
import { goHomeless } from './homeless.ts'
import { throttledWords } from './throttled.ts'

/** Whether a sign-in goes on with the second factor. */
export const wantsCode = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'second_factor_required'

interface Props {
  onSignedIn: (session: Session) => void | Promise<void>
  /** Leads back to the beginning, by choice or because it took too long: then told why. */
  onBack: (why?: string) => void
}

/** The second step of a sign-in: a code of the application, or a recovery code. */
export function CodeForm({ onSignedIn, onBack }: Props) {
  const [wrong, setWrong] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const send = async ({ code = '' }) => {
    setWrong(undefined)
    let session: Session
    try {
      const body = { code }
      session = await call<typeof giveSecondFactor>('POST /internal/session/second-factor', {
        body,
      })
    } catch (error) {
      if (goHomeless(error)) return
      if (error instanceof Problem && error.code === 'sign_in_over') return onBack(m.codeOver)
      const isWrong = error instanceof Problem && error.code === 'invalid_credentials'
      const told = isWrong ? m.codeWrong : throttledWords(error)
      if (told === undefined) throw error
      setWrong(told)
      field.current?.select()
      return
    }
    await onSignedIn(session)
  }
  return (
    <Form slip label={m.codeTitle} onSubmit={send}>
      <SlipHead title={m.codeTitle}>{m.codeWhy}</SlipHead>
      <CodeField ref={field} error={wrong} autoFocus />
      <FormLine>
        <Submit wide>{m.codeDo}</Submit>
      </FormLine>
      <FormLine>
        <p className="acts">
          <Button kind="plain" onClick={() => onBack()}>
            {m.back}
          </Button>
        </p>
      </FormLine>
    </Form>
  )
}

interface FieldProps {
  ref?: Ref<HTMLInputElement>
  error?: string | undefined
  hint?: ReactNode
  autoFocus?: boolean
}

/** Six digits, or a recovery code: telephones offer what they know. */
export const CodeField = (props: FieldProps) => (
  <TextField
    {...props}
    label={m.code}
    name="code"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={40}
    required
  />
)
