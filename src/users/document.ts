import { message } from '../failures/failure-responses.ts'
import { exactLimits } from '../failures/limits.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { deleted, etagResponses, json } from '../openapi/response-descriptions.ts'
import { examplePassword, user } from './contract.ts'

export const profileEndpoints: EndpointGroup = {
  tag: 'Profile',
  description: 'Who is signed in.',
  endpoints: {
    'GET /api/me': {
      id: 'showProfile',
      summary: 'Show the profile',
      description: 'The user to whom the token belongs.',
      responses: etagResponses(json(user, 'The user of the token.')),
    },
    'PUT /api/me': {
      id: 'updateProfile',
      summary: 'Change the profile',
      description:
        'Changes only the fields that are sent. `reminder_time: null` ends daily reminders, and `due_reminders: false` those of recurring transactions. A different address is a 422, and so is a password: PUT /api/me/email and PUT /api/me/password change them.',
      body: { name: 'ProfileChanges', example: { timezone: 'Europe/London', reminder_time: '20:00' } },
      responses: { 200: json(user, 'The user as it is now.') },
      invalid: {
        errors: {
          timezone: ['The timezone field must be a valid timezone.'],
          reminder_time: ['The reminder time field must match the format HH:MM.'],
        },
      },
    },
    'PUT /api/me/password': {
      id: 'updatePassword',
      summary: 'Change the password',
      description: `Ends all other sessions and, unless \`keep_tokens\` is true, named tokens, and voids reset links; this session stays. A user without a password sets one through a reset email. ${exactLimits.passwordGuesses.max} a minute for each token, counted together with deleting the user.`,
      body: {
        name: 'PasswordChange',
        example: {
          current_password: examplePassword,
          password: 'staple battery horse correct',
          password_confirmation: 'staple battery horse correct',
        },
      },
      responses: { 200: json(message, 'The password is changed.') },
      invalid: { errors: { current_password: ['The password is incorrect.'] } },
    },
    'DELETE /api/me': {
      id: 'deleteProfile',
      summary: 'Delete the user',
      description:
        'Deletes the user and everything they own. Needs the password or, if the user has none, the address.',
      body: { name: 'Farewell', example: { password: 'correct horse battery staple' } },
      responses: { 204: deleted },
      invalid: { errors: { password: ['The password is incorrect.'] } },
    },
  },
}
