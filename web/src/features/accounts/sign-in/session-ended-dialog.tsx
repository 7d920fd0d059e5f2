import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { bootState } from '../../../data/session/boot.ts'
import { sessionMismatch } from '../../../data/session/current-session.ts'
import { signOutAndClear } from '../../../data/session/sign-out.ts'
import { hasSessionEnded } from '../../../lib/http/session-ended.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { unsavedMessages } from '../../../messages/app/unsaved.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { describeSignOutLoss } from '../../shell/index.ts'
import { AuthHeading } from '../auth-layout.tsx'
import { useAsyncAction } from '../use-async-action.tsx'
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
      // Otherwise a click in it would count as one beside a dialog of the page, and close that one.
      data-react-aria-top-layer="true"
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
        <OtherAccountLine email={email} />
      </SignInForm>
    </dialog>
  )
}

/**
 * Leads to the sign-in of another account, which clears the browser. If something would be lost, it
 * asks in this line, because all other dialogs of the page are behind this one.
 */
function OtherAccountLine({ email }: { email: string }) {
  const [loss, setLoss] = useState<string>()
  const { busy, errorMessage, run } = useAsyncAction()
  const leave = (event: MouseEvent) => {
    // In another person's session the stored data is theirs, and this page only has to be left.
    if (sessionMismatch.get()?.otherPerson) return
    event.preventDefault()
    void run(async () => {
      const losses = await describeSignOutLoss()
      setLoss(losses)
      if (losses === undefined) await signOutAndClear()
    })
  }
  return (
    <FormLine>
      <p>
        {email}.{' '}
        <a href="/sign-in" onClick={leave}>
          {accountMessages.somebodyElse}
        </a>
      </p>
      {loss !== undefined && (
        <>
          <p role="alert">{loss}</p>
          <Button kind="danger" busy={busy} onClick={() => run(signOutAndClear)}>
            {unsavedMessages.signOutAnyway}
          </Button>
        </>
      )}
      {errorMessage}
    </FormLine>
  )
}
