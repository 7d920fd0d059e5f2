import './profile.css'
import { useState } from 'react'
import type {
  disableSecondFactor,
  enableSecondFactor,
  prepareSecondFactor,
  renewRecoveryCodes,
} from '#accounts/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { formatDayTime } from '../../../lib/dates/instant.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { OneTimeCodeField } from '../../accounts/index.ts'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { ReauthenticationForm } from './reauthentication-form.tsx'
import type { AccountSignInMethods } from './sign-in-methods-query.ts'

type PreparedSecondFactor = EndpointReply<typeof prepareSecondFactor>
type SecondFactorStep =
  | 'overview'
  | 'enable'
  | 'disable'
  | 'renew'
  | PreparedSecondFactor
  | { codes: readonly string[] }

/**
 * The codes of an authenticator app. Turning them on takes one code; turning them off takes the
 * password and a code.
 */
export function SecondFactorSettings({
  methods,
  onChanged,
}: {
  methods: AccountSignInMethods
  onChanged: () => void
}) {
  const [step, setStep] = useState<SecondFactorStep>('overview')
  const { enabled_at, recovery_codes_left } = methods.second_factor
  const close = () => setStep('overview')
  const completeStep = (next: SecondFactorStep) => {
    setStep(next)
    onChanged()
  }
  const actions =
    enabled_at === null ? (
      <Button onClick={() => setStep('enable')}>{signInMessages.turnOn}</Button>
    ) : (
      <>
        <Button onClick={() => setStep('renew')}>{signInMessages.newCodes}</Button>
        <Button onClick={() => setStep('disable')}>{signInMessages.turnOff}</Button>
      </>
    )
  return (
    <section aria-label={signInMessages.factor}>
      <SectionHeader title={signInMessages.factor} actions={step === 'overview' && actions} />
      <FormLine>
        <p className="set-note">
          {enabled_at === null
            ? signInMessages.factorOff
            : `${signInMessages.factorOn(formatDayTime(enabled_at))} ${signInMessages.codesLeft(recovery_codes_left)}`}
        </p>
      </FormLine>
      {step === 'enable' && (
        <ReauthenticationForm
          label={signInMessages.turnOn}
          action={signInMessages.next}
          methods={methods}
          onCancel={close}
          send={async ({ current_password }) =>
            setStep(
              await requestEndpoint<typeof prepareSecondFactor>(
                'POST /internal/account/second-factor',
                {
                  body: { ...(current_password && { current_password }) },
                },
              ),
            )
          }
        />
      )}
      {typeof step === 'object' && 'qr' in step && (
        <EnableSecondFactor
          prepared={step}
          onCancel={close}
          onCodes={(codes) => completeStep({ codes })}
        />
      )}
      {step === 'renew' && (
        <ReauthenticationForm
          label={signInMessages.newCodes}
          methods={methods}
          code
          onCancel={close}
          send={async (body) => {
            const address = 'POST /internal/account/second-factor/recovery-codes'
            const { recovery_codes } = await requestEndpoint<typeof renewRecoveryCodes>(address, {
              body,
            })
            completeStep({ codes: recovery_codes })
          }}
        />
      )}
      {step === 'disable' && (
        <ReauthenticationForm
          label={signInMessages.turnOff}
          methods={methods}
          code
          onCancel={close}
          send={async (body) => {
            const address = 'POST /internal/account/second-factor/disable'
            await requestEndpoint<typeof disableSecondFactor>(address, { body })
            completeStep('overview')
            showToast({ text: signInMessages.turnedOff })
          }}
        />
      )}
      {typeof step === 'object' && 'codes' in step && (
        <OneTimeSecret
          title={signInMessages.codesTitle}
          secret={step.codes.join('\n')}
          stub={signInMessages.codesStub}
          copyLabel={signInMessages.codesCopy}
          loss={signInMessages.codesLoss}
          onDone={close}
        >
          <p>{signInMessages.codesWhy}</p>
        </OneTimeSecret>
      )}
    </section>
  )
}

interface EnableSecondFactorProps {
  prepared: PreparedSecondFactor
  onCodes: (codes: readonly string[]) => void
  onCancel: () => void
}

function EnableSecondFactor({
  prepared: { qr, secret },
  onCodes,
  onCancel,
}: EnableSecondFactorProps) {
  const send = async ({ code = '' }) => {
    const address = 'POST /internal/account/second-factor/enable'
    onCodes(
      (await requestEndpoint<typeof enableSecondFactor>(address, { body: { code } }))
        .recovery_codes,
    )
  }
  return (
    <Form className="set-form" label={signInMessages.turnOn} onSubmit={send}>
      <FormLine>
        <p>{signInMessages.scanTitle}</p>
        <svg
          className="qr"
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          role="img"
          aria-label={signInMessages.qr}
          shapeRendering="crispEdges"
        >
          <path d={qr.path} />
        </svg>
        <p>
          {signInMessages.scanWhy} <code>{secret}</code>
        </p>
      </FormLine>
      <OneTimeCodeField hint={signInMessages.scanCode} autoFocus />
      <FormActions onCancel={onCancel}>
        <SubmitButton>{signInMessages.turnOn}</SubmitButton>
      </FormActions>
    </Form>
  )
}
