import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { m } from '../../messages/consent.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TroubleLine } from '../../ui/trouble.tsx'
import { Alone, SlipHead, Told } from '../accounts/alone.tsx'
import { Question } from './question.tsx'
import { requestQuery } from './request-query.ts'

/** `/oauth/consent/:uid`: what an application asks, allowed or denied once. */
export function Consent() {
  const { uid } = useParams({ from: '/oauth/consent/$uid' })
  const { hint } = useSearch({ from: '/oauth/consent/$uid' })
  const query = requestQuery(uid)
  const client = useQueryClient()
  const { data: request, error, refetch } = useQuery(query)
  const [sent, setSent] = useState<{ title: string; name: string }>()
  useFreshAfterBack()
  if (sent) {
    return (
      <Told title={sent.title} text={m.goBack(sent.name)}>
        <ToWork />
      </Told>
    )
  }
  if (request?.state === 'ended') {
    return (
      <Told title={m.ended} text={m.endedWhy}>
        <ToWork />
      </Told>
    )
  }
  if (request?.state === 'sign-in') {
    const next = `/oauth/consent/${encodeURIComponent(uid)}`
    const search = { next, ...(request.again && { again: 1 as const }), ...(hint && { hint }) }
    return <Navigate to="/sign-in" search={search} replace />
  }
  if (error) {
    return (
      <Told title={m.trouble} text={<TroubleLine error={error} />}>
        <Button onClick={() => void refetch()}>{m.again}</Button>
      </Told>
    )
  }
  return (
    <Alone>
      {request ? (
        <Question
          uid={uid}
          {...request}
          onSent={setSent}
          onEnd={() => void client.resetQueries(query)}
        />
      ) : (
        <div className="form slip">
          <SlipHead title={m.loading} />
          <Skeleton lines={12} />
        </div>
      )}
    </Alone>
  )
}

const ToWork = () => (
  <Link className="btn" to="/start">
    {m.toWork}
  </Link>
)

/** A page that the browser kept would still offer what was answered on it. */
function useFreshAfterBack(): void {
  useEffect(() => {
    const look = ({ persisted }: PageTransitionEvent) => {
      if (persisted) location.reload()
    }
    addEventListener('pageshow', look)
    return () => removeEventListener('pageshow', look)
  }, [])
}
