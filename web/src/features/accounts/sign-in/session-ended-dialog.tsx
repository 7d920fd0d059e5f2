import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { countAllUnsentMutations } from '../../../data/mutations/mutation-queue.ts'
import { bootState } from '../../../data/session/boot.ts'
import { sessionMismatch } from '../../../data/session/current-session.ts'
import { signOutAndClear } from '../../../data/session/session-actions.ts'
import { hasSessionEnded } from '../../../lib/http/session-ended.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'
import { shellMessages } from '../../../messages/app/shell.ts'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
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
 * Leads to the sign-in of another account, which clears the browser. If changes would be lost, it
 * asks in this line, because all other dialogs of the page are behind this one.
 */
function OtherAccountLine({ email }: { email: string }) {
  const [unsentCount, setUnsentCount] = useState(0)
  const { busy, errorMessage, run } = useAsyncAction()
  const leave = (event: MouseEvent) => {
    // In another person's session the stored data is theirs, and this page only has to be left.
    if (sessionMismatch.get()?.otherPerson) return
    event.preventDefault()
    void run(async () => {
      const count = await countAllUnsentMutations()
      setUnsentCount(count)
      if (count === 0) await signOutAndClear()
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
      {unsentCount > 0 && (
        <>
          <p role="alert">{shellMessages.unsentText(unsentCount)}</p>
          <Button kind="danger" busy={busy} onClick={() => run(signOutAndClear)}>
            {shellMessages.signOutAnyway}
          </Button>
        </>
      )}
      {errorMessage}
    </FormLine>
  )
}
