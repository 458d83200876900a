/**
 * The table of methods: the one list from which calls, types and the reference are made. To add a method: a row in
 * methods/, its name here; tests and docs/api.md follow.
 */
import type { z } from 'zod'
import type { Method } from './env.ts'
import { accessCheck, accessRules } from './methods/agents/access-methods.ts'
import { agentAsked, agentDiscover, agentExecute, agentQuery } from './methods/agents/agent-calls.ts'
import {
  agentAdd,
  agentInspect,
  agentKeygen,
  agentList,
  agentRequests,
  agentRevoke,
  agentToken,
} from './methods/agents/agent-methods.ts'
import { aoiAnswer, aoiDiscover, aoiQuery } from './methods/agents/incoming-methods.ts'
import { aoiExecute, aoiTaskGet, aoiTaskList } from './methods/agents/incoming-tasks.ts'
import { mirrorEvent, mirrorSearch, mirrorSnapshot } from './methods/agents/mirror-methods.ts'
import { askDecide, askList } from './methods/ask-methods.ts'
import { auditTimeline } from './methods/audit-methods.ts'
import { configGet, configSet } from './methods/settings/config-methods.ts'
import { commitGet } from './methods/commit-method.ts'
import { meGet } from './methods/me-method.ts'
import { sourcePreview } from './methods/settings/source-preview.ts'
import { schemaGet, sourceCheck, sourceGet, sourceSet } from './methods/settings/source-methods.ts'
import { memberUnpair, memberUpdate } from './methods/conversations/member-change.ts'
import {
  memberAdd,
  memberList,
  memberPair,
  memberRemove,
  memberRevoke,
  memberToken,
} from './methods/conversations/member-methods.ts'
import { chatAttach, chatFile } from './methods/conversations/chat-files.ts'
import { chatList } from './methods/conversations/chat-list.ts'
import {
  contextClear,
  contextCompact,
  contextGet,
  contextStop,
  fileGet,
  fileSend,
  messageSend,
} from './methods/conversations/message-methods.ts'
import {
  scopeClear,
  scopeDistill,
  scopePurge,
  scopeRemember,
  scopeRenew,
  scopeStop,
} from './methods/conversations/scope-care.ts'
import {
  policyStatus,
  scopeGet,
  scopeList,
  scopeShare,
  scopeTranscript,
} from './methods/conversations/scope-methods.ts'
import { homeSearch } from './methods/home-search.ts'
import { planGet, usageSummary } from './methods/home-methods.ts'
import { memoryDistill, memoryLog, memoryRestore } from './methods/memory/memory-care.ts'
import { memoryBrowse } from './methods/memory/memory-browse.ts'
import { memoryDelete, memoryUpdate, scopeEdit } from './methods/memory/memory-change.ts'
import { memoryAdd, memoryList, memorySearch } from './methods/memory/memory-methods.ts'
import { roomOverview, statusGlobal } from './methods/overview.ts'
import { reviewAccept, reviewDiff, reviewList, reviewReject } from './methods/review-methods.ts'
import {
  roomArchive,
  roomCreate,
  roomGet,
  roomList,
  roomPause,
  roomResume,
  roomUpdate,
} from './methods/room-methods.ts'
import { scheduleDelete, scheduleUpdate } from './methods/schedule-change.ts'
import { scheduleCheck, scheduleCreate, scheduleList, scheduleRun } from './methods/schedule-methods.ts'
import {
  sessionCreate,
  sessionGet,
  sessionList,
  sessionResume,
  sessionStop,
} from './methods/session-methods.ts'
import { roomAssignSession, roomUnassignSession } from './methods/session-room.ts'
import { sessionTranscript } from './methods/session-transcript.ts'
import { taskCreate, taskDelete, taskGet, taskList, taskUpdate } from './methods/task-methods.ts'
import { taskCancel, taskComplete, taskFail, taskRetry, taskStart } from './methods/task-status.ts'
import { taskStory } from './methods/task-story.ts'
import { templateFill, templateList, templateRun } from './methods/template-methods.ts'

export const METHODS = [
  roomCreate,
  roomList,
  roomGet,
  roomUpdate,
  roomArchive,
  roomPause,
  roomResume,
  roomOverview,
  roomAssignSession,
  roomUnassignSession,
  taskCreate,
  taskList,
  taskGet,
  taskStory,
  taskUpdate,
  taskStart,
  taskRetry,
  taskCancel,
  taskComplete,
  taskFail,
  taskDelete,
  memoryAdd,
  memoryList,
  memoryBrowse,
  memoryUpdate,
  memoryDelete,
  memorySearch,
  memoryDistill,
  memoryLog,
  memoryRestore,
  sessionList,
  sessionGet,
  sessionTranscript,
  sessionCreate,
  sessionStop,
  sessionResume,
  messageSend,
  chatList,
  chatAttach,
  chatFile,
  contextGet,
  contextCompact,
  contextClear,
  contextStop,
  fileGet,
  fileSend,
  askList,
  askDecide,
  commitGet,
  reviewList,
  reviewDiff,
  reviewAccept,
  reviewReject,
  scheduleList,
  scheduleCheck,
  scheduleCreate,
  scheduleUpdate,
  scheduleDelete,
  scheduleRun,
  templateList,
  templateFill,
  templateRun,
  planGet,
  usageSummary,
  memberList,
  memberAdd,
  memberPair,
  memberRemove,
  memberToken,
  memberRevoke,
  memberUpdate,
  memberUnpair,
  auditTimeline,
  statusGlobal,
  scopeList,
  scopeGet,
  scopeTranscript,
  scopeRemember,
  scopeEdit,
  scopeShare,
  scopeDistill,
  scopeRenew,
  scopeStop,
  scopeClear,
  scopePurge,
  policyStatus,
  configGet,
  configSet,
  sourceGet,
  sourceCheck,
  sourceSet,
  sourcePreview,
  schemaGet,
  homeSearch,
  meGet,
  agentList,
  agentRequests,
  agentKeygen,
  agentInspect,
  agentAdd,
  agentRevoke,
  agentToken,
  agentDiscover,
  agentQuery,
  agentAsked,
  agentExecute,
  accessRules,
  accessCheck,
  aoiDiscover,
  aoiQuery,
  aoiExecute,
  aoiTaskGet,
  aoiTaskList,
  aoiAnswer,
  mirrorEvent,
  mirrorSnapshot,
  mirrorSearch,
] as const

export type MethodName = (typeof METHODS)[number]['name']
type Row<N extends MethodName> = Extract<(typeof METHODS)[number], { readonly name: N }>
/** What a caller gives. */
export type ParamsOf<N extends MethodName> = z.input<Row<N>['params']>
/** What a caller gets. */
export type ResultOf<N extends MethodName> = z.output<Row<N>['result']>

/** By name. */
export const TABLE: ReadonlyMap<string, Method> = new Map(
  METHODS.map((row) => [row.name, row as unknown as Method]),
)
