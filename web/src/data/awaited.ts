import type { TUnsafe } from 'typebox'

interface Base {
  scope: 'session'
  limit: 'session'
  tag: string
  summary: string
}
interface Page<T> {
  data: T[]
  next_cursor: string | null
  has_more: boolean
}
type Role = 'owner' | 'admin' | 'member' | 'guest'

export interface Invitation {
  id: string
  email: string
  role: Role
  project_ids: string[] | null
  invited_by_id: string
  expires_at: string
  created_at: string
}
export interface listInvitations extends Base {
  method: 'GET'
  path: '/internal/invitations'
  query: TUnsafe<{ limit?: number; cursor?: string }>
  reply: TUnsafe<Page<Invitation>>
}
export interface createInvitation extends Base {
  method: 'POST'
  path: '/internal/invitations'
  body: TUnsafe<{ email: string; role: Role; project_ids?: string[] }>
  reply: TUnsafe<Invitation & { accept_url: string }>
}
export interface deleteInvitation extends Base {
  method: 'DELETE'
  path: '/internal/invitations/:id'
  params: TUnsafe<{ id: string }>
}
export interface lookUpInvitation extends Base {
  method: 'POST'
  path: '/internal/invitations/lookup'
  body: TUnsafe<{ token: string }>
  reply: TUnsafe<{
    email: string
    role: Role
    workspace_name: string
    invited_by_name: string
    has_account: boolean
  }>
}
export interface acceptInvitation extends Base {
  method: 'POST'
  path: '/internal/invitations/accept'
  body: TUnsafe<{ token: string; name?: string; password?: string }>
  reply: TUnsafe<object>
}
