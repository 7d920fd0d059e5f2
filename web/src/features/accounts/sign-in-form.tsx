import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { signIn } from '#accounts/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { hasPasskeys } from '../../lib/passkey.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'
import { m as codes } from '../../messages/sign-in.ts'
import { FormLine } from '../../ui/field.tsx'
import { Form, Submit } from '../../ui/form.tsx'
import { CodeForm, wantsCode } from './code-form.tsx'
import { CompanyButton } from './company-button.tsx'
import { EmailField, PresentPassword } from './fields.tsx'
import { goHomeless } from './homeless.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { setupQuery } from './setup-query.ts'
import { throttledWords } from './throttled.ts'

interface Props {
  head: ReactNode
  /** Whose password is asked for; else the address is asked for, too. */
  email?: string
  /** Who is expected: the address is filled in, and can be changed. */
  hint?: string
  /** The workspace to be in; else the one that was used last. */
  workspaceId?: string
  onSignedIn: (session: Session) => void | Promise<void>
  /** Where somebody goes on who leaves for the company's sign-in; else that opens in another tab. */
  next?: string
  /** Lies over a page that stays. */
  over?: boolean
  children?: ReactNode
}

/** Asks for address and password; which of them is wrong is not said, because the server does not. */
export function SignInForm(props: Props) {
  const { head, email, hint, workspaceId, onSignedIn, next, over, children } = props
  const { data: setup } = useQuery(setupQuery)
  const company = setup?.company
  const [wrong, setWrong] = useState<string>()
  const [isHeld, setHeld] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  const send = async (values: Record<string, string>) => {
    setWrong(undefined)
    let session: Session
    try {
      const body = {
        email: email ?? values.email ?? '',
        password: values.password ?? '',
        ...(workspaceId && { workspace_id: workspaceId }),
      }
      session = await call<typeof signIn>('POST /internal/session', { body })
    } catch (error) {
      if (wantsCode(error)) return setHeld(true)
      if (goHomeless(error)) return
      const told = wordsOf(error)
      if (told === undefined) throw error
      setWrong(told)
      password.current?.select()
      return
    }
    await onSignedIn(session)
  }
  const back = (why?: string) => {
    setWrong(why)
    setHeld(false)
  }
  if (isHeld) return <CodeForm onSignedIn={onSignedIn} onBack={back} />
  const beside =
    company && (over ? <Elsewhere name={company} /> : <CompanyButton name={company} next={next} />)
  if (setup?.password === false) {
    return (
      <div className="form slip">
        {head}
        {beside}
      </div>
    )
  }
  return (
    <Form slip label={m.signIn} onSubmit={send}>
      {head}
      {email === undefined ? (
        <EmailField passkeys autoFocus={hint === undefined} {...(hint && { defaultValue: hint })} />
      ) : (
        <input type="email" name="email" value={email} autoComplete="username" readOnly hidden />
      )}
      <PresentPassword ref={password} error={wrong} autoFocus={(email ?? hint) !== undefined} />
      <FormLine>
        <Submit wide>{m.signIn}</Submit>
      </FormLine>
      {setup?.passkeys && hasPasskeys() && (
        <PasskeyButton
          offered={email === undefined}
          workspaceId={workspaceId}
          onSignedIn={onSignedIn}
        />
      )}
      {beside}
      {children}
    </Form>
  )
}

/** The page under the form is not left: the other tab tells it when somebody has signed in there. */
const Elsewhere = ({ name }: { name: string }) => (
  <FormLine>
    <a className="btn wide" href="/sign-in" target="_blank" rel="noreferrer">
      {codes.continueElsewhere(name)}
    </a>
  </FormLine>
)

/** What is to be told of a wrong password, or of too many; other trouble is told as it is. */
export function wordsOf(error: unknown): string | undefined {
  const isWrong = error instanceof Problem && error.code === 'invalid_credentials'
  return isWrong ? m.wrong : throttledWords(error)
}
