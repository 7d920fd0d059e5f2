import './consent.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { consentMessages } from '../../messages/accounts/consent.ts'
import { InlineError } from '../../ui/feedback/error-message.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Skeleton } from '../../ui/layout/skeleton.tsx'
import { AuthHeading, AuthLayout, AuthMessage } from '../accounts/index.ts'
import { ConsentForm } from './consent-form.tsx'
import { consentRequestQuery } from './consent-request-query.ts'

/** `/oauth/consent/:uid`: allows or denies the authorization request of an application. */
export function Consent() {
  const { uid } = useParams({ from: '/oauth/consent/$uid' })
  const { hint } = useSearch({ from: '/oauth/consent/$uid' })
  const query = consentRequestQuery(uid)
  const client = useQueryClient()
  const { data: request, error, refetch } = useQuery(query)
  const [sent, setSent] = useState<{ title: string; name: string }>()
  useReloadAfterBack()
  if (sent) {
    return (
      <AuthMessage title={sent.title} text={consentMessages.goBack(sent.name)}>
        <StartLink />
      </AuthMessage>
    )
  }
  if (request?.state === 'ended') {
    return (
      <AuthMessage title={consentMessages.ended} text={consentMessages.endedWhy}>
        <StartLink />
      </AuthMessage>
    )
  }
  if (request?.state === 'sign-in') {
    const next = `/oauth/consent/${encodeURIComponent(uid)}`
    const search = {
      next,
      ...(request.mustReauthenticate && { again: 1 as const }),
      ...(hint && { hint }),
    }
    return <Navigate to="/sign-in" search={search} replace />
  }
  if (error) {
    return (
      <AuthMessage title={consentMessages.trouble} text={<InlineError error={error} />}>
        <Button onClick={() => void refetch()}>{consentMessages.again}</Button>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout>
      {request ? (
        <ConsentForm
          uid={uid}
          {...request}
          onSent={setSent}
          onEnd={() => void client.resetQueries(query)}
        />
      ) : (
        <div className="form slip">
          <AuthHeading title={consentMessages.loading} />
          <Skeleton lines={12} />
        </div>
      )}
    </AuthLayout>
  )
}

const StartLink = () => (
  <Link className="btn" to="/start">
    {consentMessages.toWork}
  </Link>
)

/** Reloads a page from the back/forward cache: it would still offer an answered request. */
function useReloadAfterBack(): void {
  useEffect(() => {
    const reloadIfCached = ({ persisted }: PageTransitionEvent) => {
      if (persisted) location.reload()
    }
    addEventListener('pageshow', reloadIfCached)
    return () => removeEventListener('pageshow', reloadIfCached)
  }, [])
}
