import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { finishCompanySignIn } from '#accounts/internal.ts'
import { call } from '../../lib/call.ts'
import { m } from '../../messages/sign-in.ts'
import { TroubleLine } from '../../ui/trouble.tsx'
import { useGoOn } from './after.ts'
import { Alone, Told } from './alone.tsx'
import { CodeForm, wantsCode } from './code-form.tsx'
import { takeNext } from './company-button.tsx'
import { goHomeless } from './homeless.ts'
import { deviceZone } from './zones.ts'

/** `/sign-in/company`: back from the company's own sign-in, with its answer in the address. */
export function Company() {
  const [error, setError] = useState<unknown>()
  const [next, setNext] = useState<string>()
  const goOn = useGoOn()
  const navigate = useNavigate()
  const begun = useRef(false)
  useEffect(() => {
    // An answer is good once: a second effect must not use it up.
    if (begun.current) return
    begun.current = true
    const answer = new URLSearchParams(location.search)
    const wanted = takeNext()
    setNext(wanted)
    history.replaceState(history.state, '', location.pathname)
    finish(answer).then(
      (session) => goOn(session, wanted),
      (thrown) => goHomeless(thrown) || setError(thrown),
    )
  })
  if (wantsCode(error)) {
    return (
      <Alone>
        <CodeForm
          onSignedIn={(session) => goOn(session, next)}
          onBack={() => navigate({ to: '/sign-in' })}
        />
      </Alone>
    )
  }
  if (error === undefined) return <Alone>{null}</Alone>
  const isStopped = error instanceof Stopped
  return (
    <Told
      title={m.companyFailed}
      text={isStopped ? m.companyStopped : <TroubleLine error={error} />}
    >
      <Link className="btn primary" to="/sign-in">
        {m.companyAgain}
      </Link>
    </Told>
  )
}

/** The person, or the company, has said no there. */
class Stopped extends Error {}

function finish(answer: URLSearchParams) {
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => answer.get(name) ?? undefined)
  if (code === undefined || state === undefined) return Promise.reject(new Stopped())
  const body = { code, state, ...(iss !== undefined && { iss }), timezone: deviceZone() }
  return call<typeof finishCompanySignIn>('POST /internal/company-sign-in/finish', { body })
}
