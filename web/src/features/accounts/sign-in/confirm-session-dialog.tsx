import { useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { confirmSession, getSignInMethods } from '#accounts/internal.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { signInMessages } from '../../../messages/accounts/sign-in.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { ConfirmingPasswordField } from '../../../ui/form/password-confirmation.tsx'
import { AuthHeading } from '../auth-layout.tsx'

/**
 * Asks for the password over whatever the page shows, because a request would make something that
 * outlives the session. Resolves to whether the session is confirmed now, so that the request can be
 * repeated; an account without a password has to sign in again, which the error of the request says.
 */
export function confirmSessionInDialog(): Promise<boolean> {
  asking ??= askPerson().finally(() => {
    asking = undefined
  })
  return asking
}

/** Requests that need the confirmation at the same time wait for one answer. */
let asking: Promise<boolean> | undefined

async function askPerson(): Promise<boolean> {
  const methods = await requestEndpoint<typeof getSignInMethods>(
    'GET /internal/account/sign-in',
    {},
  )
  if (!methods.has_password) return false
  // Not one of the page's dialogs: pages outside of a workspace have none, and it may be over one.
  const host = document.createElement('div')
  // An open dialog of the page makes everything else inert, but not what is marked so.
  host.dataset.reactAriaTopLayer = 'true'
  document.body.append(host)
  const root = createRoot(host)
  const isConfirmed = await new Promise<boolean>((resolve) => {
    root.render(<ConfirmSessionDialog onEnd={resolve} />)
  })
  root.unmount()
  host.remove()
  return isConfirmed
}

function ConfirmSessionDialog({ onEnd }: { onEnd: (isConfirmed: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [mustSignIn, setMustSignIn] = useState(false)
  useEffect(() => {
    const previousFocus = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  const send = async ({ current_password = '' }) => {
    try {
      await requestEndpoint<typeof confirmSession>('POST /internal/session/confirmation', {
        body: { current_password },
      })
    } catch (error) {
      // With a second factor that this session has not shown.
      setMustSignIn(error instanceof ApiResponseError && error.code === 'sign_in_again')
      throw error
    }
    onEnd(true)
  }
  const next = encodeURIComponent(location.pathname + location.search)
  return (
    <dialog
      ref={dialog}
      className="again"
      data-overlay
      // Otherwise a click in it would count as one beside a dialog of the page, and close that one.
      data-react-aria-top-layer="true"
      aria-label={signInMessages.confirmTitle}
      onClose={() => onEnd(false)}
    >
      <Form slip label={signInMessages.confirmTitle} onSubmit={send}>
        <AuthHeading title={signInMessages.confirmTitle} />
        <ConfirmingPasswordField />
        {mustSignIn && (
          <FormLine>
            <a className="btn" href={`/sign-in?again=1&next=${next}`}>
              {accountMessages.signIn}
            </a>
          </FormLine>
        )}
        <FormActions onCancel={() => onEnd(false)}>
          <SubmitButton>{signInMessages.codeDo}</SubmitButton>
        </FormActions>
      </Form>
    </dialog>
  )
}
