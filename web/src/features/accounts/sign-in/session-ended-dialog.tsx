import { useEffect, useRef } from 'react'
import { bootState } from '../../../data/session/boot.ts'
import { clearBrowserData } from '../../../data/session/session-actions.ts'
import { hasSessionEnded } from '../../../lib/http/session-ended.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { AuthHeading } from '../auth-layout.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { resumeSession } from './use-complete-sign-in.ts'

/**
 * The sign-in dialog over a page whose session has ended. The page stays with everything that was
 * typed on it. Only the same person can continue; somebody else starts with a new page.
 */
export function SessionEndedDialog() {
  const hasEnded = useAtom(hasSessionEnded)
  const user = useAtom(bootState)?.session.user
  return hasEnded && user?.email ? <SignInDialog email={user.email} /> : null
}

function SignInDialog({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const workspaceId = bootState.get()?.session.workspace.id
  useEffect(() => {
    const previousFocus = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className="again"
      data-overlay
      aria-label={accountMessages.ended}
      // Without a session the page behind cannot be used. A browser that does not know `closedby`
      // closes the dialog on the second Escape, whatever `preventDefault` says.
      closedby="none"
      onCancel={(event) => event.preventDefault()}
      onClose={() => hasSessionEnded.get() && dialog.current?.showModal()}
    >
      <SignInForm
        head={<AuthHeading title={accountMessages.ended}>{accountMessages.endedWhy}</AuthHeading>}
        email={email}
        inDialog
        {...(workspaceId && { workspaceId })}
        onSignedIn={resumeSession}
      >
        <FormLine>
          <p>
            {email}.{' '}
            <a href="/sign-in" onClick={clearBrowserData}>
              {accountMessages.somebodyElse}
            </a>
          </p>
        </FormLine>
      </SignInForm>
    </dialog>
  )
}
