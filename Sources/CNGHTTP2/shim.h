#pragma once
#include <nghttp2/nghttp2.h>
/* What a connection's loop waits with; Swift's Glibc module leaves both out. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
