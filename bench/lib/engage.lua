-- Likes or views of one post, each by another session or visit: wrk … -s engage.lua <url> -- like <path>, or view <path> <key>
local kind, head, run
local n = 0

function init(args)
  kind = args[1]
  local method = kind == 'like' and 'PUT ' or 'POST '
  head = method .. args[2] .. ' HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\nAuthorization: Bearer '
  if kind == 'view' then head = head .. args[3] .. '\r\nIdempotency-Key: visit-' .. tostring(os.time()) .. '-' end
end

function request()
  n = n + 1
  if kind == 'view' then return head .. n .. '\r\n\r\n' end
  return head .. string.format('phs_%043d', n) .. '\r\n\r\n'
end
