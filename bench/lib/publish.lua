-- POST /v1/events as fast as they are answered: wrk … -s publish.lua <url> -- <key> <event> <audience as a JSON list> …
-- The event is `"event":…,"data":…` with @@ for the id of its subject.
local head, before, after, audiences, run
local n = 0

function init(args)
  head = 'POST /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' .. args[1]
    .. '\r\nContent-Type: application/json\r\nContent-Length: '
  local at = args[2]:find('@@', 1, true)
  before, after = '{' .. args[2]:sub(1, at - 1), args[2]:sub(at + 2) .. ',"accountIds":'
  audiences = {}
  for i = 3, #args do audiences[#audiences + 1] = args[i] end
  run = tostring(os.time())
end

function request()
  n = n + 1
  local body = before .. 'bench-' .. run .. '-' .. n .. after .. audiences[n % #audiences + 1] .. '}'
  return head .. #body .. '\r\n\r\n' .. body
end
