import { useState } from 'react'
import type {
  disableSecondFactor,
  enableSecondFactor,
  prepareSecondFactor,
  renewRecoveryCodes,
} from '#accounts/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { dayTimeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { FormLine } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { CodeField } from '../../accounts/code-form.tsx'
import { Band } from '../head.tsx'
import { OnceShown } from '../once-shown.tsx'
import { Ask } from './ask.tsx'
import type { Means } from './means-query.ts'

type Prepared = Reply<typeof prepareSecondFactor>
type Step = 'shown' | 'on' | 'off' | 'renew' | Prepared | { codes: readonly string[] }

/** Codes of an application: turned on with one of them, and given up with the password and one. */
export function SecondFactor({ means, onChanged }: { means: Means; onChanged: () => void }) {
  const [step, setStep] = useState<Step>('shown')
  const { enabled_at, recovery_codes_left } = means.second_factor
  const leave = () => setStep('shown')
  const done = (next: Step) => {
    setStep(next)
    onChanged()
  }
  const acts =
    enabled_at === null ? (
      <Button onClick={() => setStep('on')}>{m.turnOn}</Button>
    ) : (
      <>
        <Button onClick={() => setStep('renew')}>{m.newCodes}</Button>
        <Button onClick={() => setStep('off')}>{m.turnOff}</Button>
      </>
    )
  return (
    <section aria-label={m.factor}>
      <Band title={m.factor} acts={step === 'shown' && acts} />
      <FormLine>
        <p>
          {enabled_at === null
            ? m.factorOff
            : `${m.factorOn(dayTimeOf(enabled_at))} ${m.codesLeft(recovery_codes_left)}`}
        </p>
      </FormLine>
      {step === 'on' && (
        <Ask
          label={m.turnOn}
          action={m.next}
          means={means}
          onCancel={leave}
          send={async ({ current_password }) =>
            setStep(
              await call<typeof prepareSecondFactor>('POST /internal/account/second-factor', {
                body: { ...(current_password && { current_password }) },
              }),
            )
          }
        />
      )}
      {typeof step === 'object' && 'qr' in step && (
        <Enable prepared={step} onCancel={leave} onCodes={(codes) => done({ codes })} />
      )}
      {step === 'renew' && (
        <Ask
          label={m.newCodes}
          means={means}
          code
          onCancel={leave}
          send={async (body) => {
            const address = 'POST /internal/account/second-factor/recovery-codes'
            const { recovery_codes } = await call<typeof renewRecoveryCodes>(address, { body })
            done({ codes: recovery_codes })
          }}
        />
      )}
      {step === 'off' && (
        <Ask
          label={m.turnOff}
          means={means}
          code
          onCancel={leave}
          send={async (body) => {
            const address = 'POST /internal/account/second-factor/disable'
            await call<typeof disableSecondFactor>(address, { body })
            done('shown')
            toast({ text: m.turnedOff })
          }}
        />
      )}
      {typeof step === 'object' && 'codes' in step && (
        <OnceShown
          title={m.codesTitle}
          secret={step.codes.join('\n')}
          stub={m.codesStub}
          copyLabel={m.codesCopy}
          loss={m.codesLoss}
          onDone={leave}
        >
          <p>{m.codesWhy}</p>
        </OnceShown>
      )}
    </section>
  )
}

interface EnableProps {
  prepared: Prepared
  onCodes: (codes: readonly string[]) => void
  onCancel: () => void
}

function Enable({ prepared: { qr, secret }, onCodes, onCancel }: EnableProps) {
  const send = async ({ code = '' }) => {
    const address = 'POST /internal/account/second-factor/enable'
    onCodes((await call<typeof enableSecondFactor>(address, { body: { code } })).recovery_codes)
  }
  return (
    <Form className="set-form" label={m.turnOn} onSubmit={send}>
      <FormLine>
        <p>{m.scanTitle}</p>
        <svg
          className="qr"
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          role="img"
          aria-label={m.qr}
          shapeRendering="crispEdges"
        >
          <path d={qr.path} />
        </svg>
        <p>
          {m.scanWhy} <code>{secret}</code>
        </p>
      </FormLine>
      <CodeField hint={m.scanCode} autoFocus />
      <FormActs onCancel={onCancel}>
        <Submit>{m.turnOn}</Submit>
      </FormActs>
    </Form>
  )
}
